// Tables that can be sorted and searched. Of long tables only the visible lines are in the page.
import { h } from "./dom";
import { count } from "./format";

export interface Column<Row> {
  key: string;
  label: string;
  hint?: string; // what the label stands for
  numeric?: boolean;
  width: number; // minimum, in pixels
  sort: (row: Row) => number | string | null;
  cell: (row: Row) => Node | string;
}

export interface TableOptions<Row> {
  label: string; // what the table contains
  things: string; // plural noun for its lines, shown with their number
  rows: Row[];
  columns: Column<Row>[];
  search?: (row: Row) => string;
  searchLabel?: string;
  filters?: { label: string; keep: (row: Row) => boolean }[]; // the first is initially active
  tools?: Node[];
  sorted?: string; // key of the initial sort column
  cards?: boolean; // in narrow windows lines are shown as cards
  wrap?: boolean; // lines are as high as their text: for short tables only
}

const lineHeight = 32;
const longest = 60; // maximum number of lines that are all put into the page

export function dataTable<Row>(options: TableOptions<Row>): HTMLElement {
  const { rows, columns } = options;
  const sought = options.search && rows.map((row) => options.search!(row).toLowerCase());
  let order: number[] = rows.map((_, i) => i);
  let sorted: { column: Column<Row>; descending: boolean } | null = null;
  let filter = options.filters?.[0]?.keep;
  let first = -1;

  const body = h("tbody");
  const heads = columns.map((column) =>
    h(
      "th",
      {
        scope: "col",
        class: column.numeric ? "number" : null,
        "aria-sort": "none",
        "data-key": column.key,
      },
      h(
        "button",
        { type: "button", title: column.hint ?? null, click: () => sortBy(column) },
        column.label,
      ),
    ),
  );
  const table = h(
    "table",
    { "aria-rowcount": rows.length + 1 },
    h("caption", { class: "unseen" }, options.label),
    h("colgroup", {}, ...columns.map((column) => h("col", { style: `width:${column.width}px` }))),
    h("thead", {}, h("tr", {}, ...heads)),
    body,
  );
  table.style.minWidth = `${columns.reduce((sum, column) => sum + column.width, 0)}px`;
  const scroller = h(
    "div",
    {
      class: ["table", options.wrap && "wrap", options.cards && "cards"].filter(Boolean).join(" "),
      tabindex: 0,
      role: "group",
      "aria-label": options.label,
    },
    table,
  );
  const found = h("p", { class: "found", role: "status" });
  const box = options.search
    ? h("input", {
        type: "search",
        placeholder: options.searchLabel ?? "Search",
        "aria-label": options.searchLabel ?? "Search",
        input: () => select(),
      })
    : null;

  const line = (place: number) => {
    const row = rows[order[place]!]!;
    return h(
      "tr",
      { "aria-rowindex": place + 2 },
      ...columns.map((column) =>
        h(
          "td",
          { class: column.numeric ? "number" : null, "data-label": options.cards && column.label },
          column.cell(row),
        ),
      ),
    );
  };
  const space = (lines: number) =>
    lines > 0
      ? h(
          "tr",
          { class: "space", "aria-hidden": "true" },
          h("td", { colspan: columns.length, style: `height:${lines * lineHeight}px` }),
        )
      : null;

  function show(anew: boolean): void {
    if (options.wrap || order.length <= longest) {
      if (anew) body.replaceChildren(...order.map((_, place) => line(place)));
      return;
    }
    const from = Math.max(
      0,
      Math.min(Math.floor(scroller.scrollTop / lineHeight) - 10, order.length - longest),
    );
    if (!anew && Math.abs(from - first) < 8) return;
    first = from;
    const lines = Array.from({ length: longest }, (_, i) => line(from + i));
    const parts = [space(from), ...lines, space(order.length - from - longest)];
    body.replaceChildren(...parts.filter((part) => part !== null));
  }

  function select(): void {
    const words = box?.value.trim().toLowerCase() ?? "";
    order = [];
    rows.forEach((row, i) => {
      if ((!filter || filter(row)) && (!words || sought?.[i]?.includes(words))) order.push(i);
    });
    if (sorted) arrange(sorted.column, sorted.descending);
    found.textContent =
      order.length === rows.length
        ? `${count(rows.length)} ${options.things}`
        : `${count(order.length)} of ${count(rows.length)} ${options.things}`;
    scroller.scrollTop = 0;
    show(true);
  }

  function arrange(column: Column<Row>, descending: boolean): void {
    const keys = rows.map((row) => column.sort(row));
    const sign = descending ? -1 : 1;
    order.sort((i, j) => {
      const a = keys[i]!,
        b = keys[j]!;
      if (a === b) return i - j;
      if (a === null || b === null) return a === null ? 1 : -1; // unknown values come last
      return (
        (typeof a === "string" ? a.localeCompare(b as string, "en") : a - (b as number)) * sign ||
        i - j
      );
    });
  }

  function sortBy(column: Column<Row>): void {
    const again = sorted?.column === column;
    sorted = { column, descending: again ? !sorted!.descending : !!column.numeric };
    columns.forEach((other, i) =>
      heads[i]!.setAttribute(
        "aria-sort",
        other !== column ? "none" : sorted!.descending ? "descending" : "ascending",
      ),
    );
    select();
  }

  const filters = options.filters?.map(({ label, keep }, i) =>
    h(
      "button",
      {
        type: "button",
        class: "choice",
        "aria-pressed": String(i === 0),
        click: (event) => {
          filter = keep;
          for (const button of filters!)
            button.setAttribute("aria-pressed", String(button === event.currentTarget));
          select();
        },
      },
      label,
    ),
  );

  scroller.addEventListener("scroll", () => show(false), { passive: true });
  const start = columns.find((column) => column.key === options.sorted);
  if (start) sortBy(start);
  else select();
  return h(
    "div",
    { class: "data-table" },
    h(
      "div",
      { class: "controls" },
      box,
      filters
        ? h(
            "div",
            { class: "choices", role: "group", "aria-label": `Which ${options.things}` },
            ...filters,
          )
        : null,
      found,
      ...(options.tools ?? []),
    ),
    scroller,
  );
}

/** The numbers of a chart as a plain table; long tables show only the first lines. */
export function plainTable(columns: string[], rows: string[][]): HTMLElement {
  const most = 200;
  return h(
    "div",
    { class: "table", tabindex: 0, role: "group", "aria-label": "Numbers of the chart" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...columns.map((label) => h("th", { scope: "col" }, label)))),
      h(
        "tbody",
        {},
        ...rows
          .slice(0, most)
          .map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, h("bdi", {}, cell))))),
      ),
      rows.length > most ? h("caption", {}, `The first ${most} of ${count(rows.length)}`) : null,
    ),
  );
}

// Checks of values from outside. A type and its check are declared once, together.

/** What is wrong with a document, worded for the user who opened it. */
export class DocumentError extends Error {}

export type Check<T> = (value: unknown, path: string) => T;
export type Checked<C> = C extends Check<infer T> ? T : never;

function fail(path: string, rule: string): never {
  throw new DocumentError(`its field "${path}" ${rule}`);
}

export const number: Check<number> = (value, path) =>
  typeof value === "number" && Number.isFinite(value) ? value : fail(path, "is not a number");

export const count: Check<number> = (value, path) =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : fail(path, "is not an integer of at least 0");

export const text: Check<string> = (value, path) =>
  typeof value === "string" ? value : fail(path, "is not a text");

export const flag: Check<boolean> = (value, path) =>
  typeof value === "boolean" ? value : fail(path, "is neither true nor false");

/** Lists of plain values are long: they are checked without a path for each value. */
function plain<T>(fits: (value: unknown) => boolean, rule: string): Check<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return fail(path, "is not a list");
    const wrong = value.findIndex((item) => !fits(item));
    return wrong < 0 ? (value as T[]) : fail(`${path}[${wrong}]`, rule);
  };
}

export const numbers = plain<number>((value) => Number.isFinite(value), "is not a number");
export const counts = plain<number>(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  "is not an integer of at least 0",
);
export const texts = plain<string>((value) => typeof value === "string", "is not a text");

/** What may be null or missing. */
export function maybe<T>(check: Check<T>): Check<T | null> {
  return (value, path) => (value === undefined || value === null ? null : check(value, path));
}

export function list<T>(check: Check<T>, length?: number): Check<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return fail(path, "is not a list");
    if (length !== undefined && value.length !== length)
      return fail(path, `has ${value.length} entries and must have ${length}`);
    return value.map((item, i) => check(item, `${path}[${i}]`));
  };
}

type Shape = Record<string, Check<unknown>>;

export function object<S extends Shape>(shape: S): Check<{ [K in keyof S]: Checked<S[K]> }> {
  return (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return fail(path || "(whole)", "is not an object");
    const found: Record<string, unknown> = {};
    for (const [key, check] of Object.entries(shape)) {
      const own = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
      found[key] = check(own, path ? `${path}.${key}` : key);
    }
    return found as { [K in keyof S]: Checked<S[K]> };
  };
}

/** An object of any keys. */
export function dictionary<T>(check: Check<T>): Check<Map<string, T>> {
  return (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return fail(path, "is not an object");
    return new Map(
      Object.entries(value).map(([key, item]) => [key, check(item, `${path}.${key}`)]),
    );
  };
}

export function ensure(condition: boolean, path: string, rule: string): void {
  if (!condition) fail(path, rule);
}

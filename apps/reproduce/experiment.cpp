#include "experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "declaration.hpp"
#include "spcart/error.hpp"

namespace spcart::reproduce {
namespace {

const OptionRecord* option(std::string_view name) {
  const auto found = std::ranges::find(option_records(), name, &OptionRecord::name);
  return found == option_records().end() ? nullptr : &*found;
}

std::optional<double> number_before(std::string_view text, std::string_view ending) {
  if (!text.ends_with(ending)) return std::nullopt;
  text.remove_suffix(ending.size());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

/// The value as the option's own parser reads it.
std::string resolved(const std::string& name, const std::string& text, Index p,
                     const std::function<Index(double)>& explaining) {
  if (name == "lambda")
    if (const auto factor = number_before(text, "/sqrt(p)"))
      return fmt::format("{}", *factor / std::sqrt(static_cast<double>(p)));
  if (name == "components") {
    if (text == "p") return fmt::format("{}", p);
    if (const auto percent = number_before(text, " %"))
      return fmt::format("{}", explaining(*percent / 100));
  }
  return text;
}

void set(Options& options, const std::string& name, const std::string& text) {
  option(name)->set(options, text);
}

std::string text_of(const Json& value, const Fields& fields, const std::string& key) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  if (value.is_number()) return fmt::format("{}", value.get<double>());
  fields.fail(
      fmt::format("{} = {}: it must be a number, a text or a list of them", key, value.dump()));
}

/// The fields that are options, put into `choices`, where they replace existing ones.
void read_choices(Fields& fields, const Json& object, Choices& choices) {
  for (const auto& [key, value] : object.items()) {
    if (!option(key)) continue;
    fields.raw(key);
    std::vector<std::string> texts;
    if (value.is_array())
      for (const Json& item : value) texts.push_back(text_of(item, fields, key));
    else
      texts.push_back(text_of(value, fields, key));
    if (texts.empty()) fields.fail(fmt::format("'{}' has no value", key));
    Options scratch;
    for (const std::string& text : texts) try {
        set(scratch, key, resolved(key, text, 100, [](double) { return Index{1}; }));
      } catch (const Error& error) {
        fields.fail(error.what());
      }
    const auto known = std::ranges::find(choices, key, [](const auto& c) { return c.first; });
    if (known == choices.end())
      choices.emplace_back(key, std::move(texts));
    else
      known->second = std::move(texts);
  }
}

DataDeclaration read_data(Fields fields) {
  DataDeclaration data;
  data.label = fields.get<std::string>("label");
  data.built_in = fields.texts("built_in");
  if (data.built_in.empty()) fields.fail("'built_in' names nothing");
  data.remove_row_mean = fields.get_or("remove_row_mean", false);
  if (fields.has("file")) {
    data.file = fields.get<std::string>("file");
    const auto [rows, cols] = fields.get<std::pair<Index, Index>>("shape");
    data.rows = rows;
    data.cols = cols;
  }
  if (fields.has("image")) data.image = fields.get<std::pair<Index, Index>>("image");
  fields.finish();
  return data;
}

/// A row of a printed table: fields, and the pattern.
Record read_row(Fields fields, const std::string& label) {
  Record row{.series = label, .pattern = {}, .values = {}};
  if (fields.has("pattern")) row.pattern = fields.get<std::string>("pattern");
  for (const Field& field : reproduce::fields())
    if (fields.has(field.name)) row.values.emplace(field.name, fields.get<double>(field.name));
  fields.finish();
  return row;
}

Series read_series(const std::string& label, const Json& object, Fields fields,
                   const Choices& common, Index repeats, std::vector<Claim>& claims) {
  Series series{.label = label, .choices = common};
  read_choices(fields, object, series.choices);
  series.repeats = fields.get_or("repeats", repeats);
  if (series.repeats < 1)
    fields.fail(fmt::format("repeats = {}: it must be at least 1", series.repeats));
  series.by_iteration = fields.get_or("by_iteration", false);
  if (fields.has("paper")) {
    series.paper = read_row(fields.object("paper"), label);
    Claim claim{.claim = fmt::format("The row of {}", label),
                .paper = row_in_words(*series.paper, *series.paper),
                .note = fields.get_or<std::string>("note", "")};
    claim.checks.push_back(make_row_check(label, *series.paper));
    claims.push_back(std::move(claim));
  }
  fields.finish();
  return series;
}

Claim read_claim(Fields fields, std::span<const std::string> series) {
  Claim claim{.claim = fields.get<std::string>("claim"),
              .paper = fields.get<std::string>("paper"),
              .note = fields.get_or<std::string>("note", "")};
  const Json& checks = fields.raw("check");
  if (checks.is_array())
    for (std::size_t i = 0; i < checks.size(); ++i)
      claim.checks.push_back(
          make_check({checks[i], fmt::format("{}[{}]", fields.inside("check"), i)}, series));
  else
    claim.checks.push_back(make_check(fields.object("check"), series));
  if (claim.checks.empty()) fields.fail("nothing is checked");
  fields.finish();
  return claim;
}

Figure read_figure(Fields fields, std::span<const std::string> series) {
  Figure figure;
  figure.x = field_of(fields.get<std::string>("x"), fields.inside("x")).name;
  if (fields.has("lines")) {
    figure.lines = fields.texts("lines");
    for (const std::string& line : figure.lines) field_of(line, fields.inside("lines"));
    figure.series = fields.get<std::string>("series");
    if (std::ranges::find(series, figure.series) == series.end())
      fields.fail(fmt::format("no series is called '{}'", figure.series));
    figure.title = fields.get<std::string>("title");
  } else {
    const Field& y = field_of(fields.get<std::string>("y"), fields.inside("y"));
    figure.y = y.name;
    figure.title = fields.get_or("title", std::string(y.label));
  }
  figure.log_x = fields.get_or("log_x", false);
  figure.log_y = fields.get_or("log_y", false);
  fields.finish();
  return figure;
}

PatternKind read_pattern(Fields& fields) {
  const auto kind = fields.get_or<std::string>("pattern", "none");
  if (kind == "variables") return PatternKind::variables;
  if (kind == "cardinalities") return PatternKind::cardinalities;
  if (kind != "none")
    fields.fail(fmt::format("pattern '{}': it must be variables or cardinalities", kind));
  return PatternKind::none;
}

/// `quick` is set to whether there is a smaller version.
Json parsed(std::string_view text, const std::string& place, bool& quick) {
  Json object;
  try {
    object = Json::parse(text);
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{}it is not JSON: {}", place, error.what()));
  }
  const bool can_be_small = object.is_object() && object.contains("quick");
  quick = quick && can_be_small;
  if (can_be_small) {
    const Json patch = object["quick"];
    object.erase("quick");
    if (quick) object.merge_patch(patch);
  }
  return object;
}

}  // namespace

Experiment parse_experiment(std::string_view name, std::string_view text, bool quick) {
  const std::string place = fmt::format("experiment {}: ", name);
  const Json object = parsed(text, place, quick);
  Fields fields(object, place);
  Experiment e;
  e.name = name;
  e.quick = quick;
  e.ours = fields.get_or("ours", false);
  e.title = fields.get<std::string>("title");
  e.about = fields.get<std::string>("about");
  e.data = read_data(fields.object("data"));
  e.pattern = read_pattern(fields);
  const Index repeats = fields.get_or("repeats", Index{1});

  Choices common;
  if (fields.has("options")) {
    Fields options = fields.object("options");
    read_choices(options, object["options"], common);
    options.finish();
  }
  std::vector<std::string> labels;
  for (const auto& [label, value] : fields.raw("series").items()) {
    labels.push_back(label);
    e.series.push_back(read_series(label, value, {value, fields.inside("series." + label)}, common,
                                   repeats, e.claims));
  }
  if (e.series.empty()) fields.fail("it has no series");

  const auto each = [&](const char* key, auto read) {
    if (!fields.has(key)) return;
    const Json& list = fields.raw(key);
    for (std::size_t i = 0; i < list.size(); ++i)
      read(Fields(list[i], fmt::format("{}[{}]", fields.inside(key), i)));
  };
  each("figures", [&](Fields f) { e.figures.push_back(read_figure(std::move(f), labels)); });
  each("claims", [&](Fields f) { e.claims.push_back(read_claim(std::move(f), labels)); });
  if (fields.has("table")) {
    e.table = fields.texts("table");
    for (const std::string& column : e.table) field_of(column, fields.inside("table"));
  }
  if (fields.has("pictures")) {
    Fields inner = fields.object("pictures");
    e.pictures = Pictures{.series = inner.texts("series"),
                          .first = inner.get_or("first", Index{10}),
                          .last = inner.get_or("last", Index{10})};
    inner.finish();
  }
  fields.finish();
  return e;
}

std::vector<Options> settings_of(const Series& series, Index p,
                                 const std::function<Index(double)>& explaining) {
  std::vector<Options> settings(1);
  for (const auto& [name, texts] : series.choices) {
    std::vector<Options> more;
    for (const Options& before : settings)
      for (const std::string& text : texts) {
        more.push_back(before);
        set(more.back(), name, resolved(name, text, p, explaining));
      }
    settings = std::move(more);
  }
  return settings;
}

}  // namespace spcart::reproduce

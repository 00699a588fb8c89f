#include <cctype>
#include <cstdint>

#include "command.hpp"

namespace spcart::testing {
namespace {

/// A call that must be rejected, and a word that its message must have.
struct BadCall {
  std::string name;
  std::vector<std::string> arguments;
  std::string word;
};

/// A file that must be rejected.
struct BadFile {
  std::string name;  ///< of the file, with its suffix
  std::string content;
  std::string word;
  std::vector<std::string> arguments = {};
};

void expect_rejected(const Outcome& outcome, const std::string& word) {
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("spcart: error: ")) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_LT(outcome.err.size(), 600);
  EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " is not in " << outcome.err;
  for (const char c : outcome.err) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

void expect_fit_rejected(const std::string& file, const BadFile& bad) {
  const Folder outputs;
  std::vector<std::string> call = {
      "fit", file, "-r", "1", "--json", outputs / "r.json", "--loadings", outputs / "x.csv"};
  call.insert(call.end(), bad.arguments.begin(), bad.arguments.end());
  const Outcome outcome = run(call, {.time_limit = 30});
  expect_rejected(outcome, bad.word);
  EXPECT_EQ(outputs.list(), std::vector<std::string>{});
}

std::string npy(const std::string& header, const std::string& data, char major = 1) {
  std::string text = "\x93NUMPY";
  text += {major, 0};
  const auto length = static_cast<std::uint16_t>(header.size());
  text += {static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  return text + header + data;
}

std::string npy_header(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

std::string mtx(const std::string& rest, const std::string& kind = "coordinate real general") {
  return "%%MatrixMarket matrix " + kind + "\n" + rest;
}

class BadFileTest : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadFileTest, IsRejectedWithAMessageAndNoOutput) {
  const Folder folder;
  expect_fit_rejected(folder.write(GetParam().name, GetParam().content), GetParam());
}

std::string name_of(const ::testing::TestParamInfo<BadFile>& info) {
  std::string name;
  for (const char c : info.param.name)
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Text, BadFileTest,
    ::testing::Values(BadFile{"empty.csv", "", "empty"}, BadFile{"blank.csv", "\n\n", "blank.csv"},
                      BadFile{"header_only.csv", "a,b\n", "header_only.csv"},
                      BadFile{"ragged.csv", "a,b\n1,2\n3\n4,5\n", ":3:"},
                      BadFile{"words.csv", "a,b\n1,2\n3,four\n", "four"},
                      BadFile{"words_place.csv", "a,b\n1,2\n3,four\n", ":3:"},
                      BadFile{"nan.csv", "a,b\n1,2\nnan,4\n5,7\n", ":3:"},
                      BadFile{"missing_cell.csv", "a,b\n1,2\n,4\n5,7\n", ":3:"},
                      BadFile{"infinite.csv", "a,b\n1,2\n3,inf\n5,7\n", ":3:"},
                      BadFile{"overflow.csv", "a,b\n1,2\n3,1e999\n5,7\n", ":3:"},
                      BadFile{"junk.csv", std::string("\x00\xff\x01\x80\n\x13\x00\xfe", 8),
                              "junk.csv"},
                      BadFile{"one_sample.csv", "a,b\n1,2\n", "one_sample.csv: the table has one"},
                      BadFile{"constant.csv", "a,b\n1,2\n1,2\n1,2\n", "constant.csv: the data"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Npy, BadFileTest,
    ::testing::Values(
        BadFile{"magic_only.npy", "\x93NUMPY", "magic_only.npy"},
        BadFile{"short_header.npy", npy(npy_header("<f8", "(2, 2)"), "").substr(0, 30),
                "short_header.npy"},
        BadFile{"short_data.npy", npy(npy_header("<f8", "(2, 2)"), std::string(24, 'x')),
                "short_data.npy"},
        BadFile{"negative.npy", npy(npy_header("<f8", "(-2, 2)"), std::string(32, 'x')),
                "negative.npy"},
        BadFile{"enormous.npy", npy(npy_header("<f8", "(1000000000, 1000000000)"), "x"),
                "enormous.npy"},
        BadFile{"overflowing.npy", npy(npy_header("<f8", "(99999999999999999999999, 2)"), "x"),
                "overflowing.npy"},
        BadFile{"wrapping.npy", npy(npy_header("<f8", "(4294967296, 4294967296)"), "x"),
                "wrapping.npy"},
        BadFile{"object.npy", npy(npy_header("|O", "(2, 2)"), std::string(32, 'x')), "O"},
        BadFile{"big_endian.npy", npy(npy_header(">f8", "(2, 2)"), std::string(32, '\0')),
                "endian"},
        BadFile{"cube.npy", npy(npy_header("<f8", "(2, 2, 2)"), std::string(64, '\0')), "cube.npy"},
        BadFile{"no_samples.npy", npy(npy_header("<f8", "(0, 2)"), ""), "no_samples.npy"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    MatrixMarket, BadFileTest,
    ::testing::Values(
        BadFile{"no_banner.mtx", "2 2 1\n1 1 5\n", "no_banner.mtx"},
        BadFile{"complex.mtx", mtx("2 2 1\n1 1 5 6\n", "coordinate complex general"), "complex"},
        BadFile{"negative.mtx", mtx("-2 2 1\n1 1 5\n"), ":2:"},
        BadFile{"enormous.mtx", mtx("1000000000 1000000000 999999999999\n1 1 5\n"), "enormous.mtx"},
        BadFile{"wide_array.mtx", mtx("1000000 1000000\n1\n", "array real general"),
                "wide_array.mtx"},
        BadFile{"outside.mtx", mtx("2 2 2\n1 1 5\n3 1 5\n"), ":4:"},
        BadFile{"zero_index.mtx", mtx("2 2 2\n1 1 5\n0 1 5\n"), ":4:"},
        BadFile{"fewer.mtx", mtx("3 2 4\n1 1 5\n2 1 5\n"), "fewer.mtx"},
        BadFile{"more.mtx", mtx("3 2 1\n1 1 5\n2 1 5\n"), "more.mtx"},
        BadFile{"word.mtx", mtx("3 2 1\n1 1 five\n"), "five"},
        BadFile{"infinite.mtx", mtx("3 2 1\n1 1 inf\n"), ":3:"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Gzip, BadFileTest,
    ::testing::Values(BadFile{"broken.csv.gz", "\x1f\x8b\x08\x00garbage that is no deflate stream",
                              "broken.csv.gz"},
                      BadFile{"head_only.csv.gz", "\x1f\x8b", "head_only.csv.gz"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Covariance, BadFileTest,
    ::testing::Values(
        BadFile{"not_square.csv", "a,b\n1,0\n0,1\n0,0\n", "square", {"--covariance"}},
        BadFile{"not_symmetric.csv",
                "a,b\n1,0.5\n0.4,1\n",
                "not_symmetric.csv: covariance",
                {"--covariance"}},
        BadFile{"indefinite.csv", "a,b\n1,2\n2,1\n", "semidefinite", {"--covariance"}},
        BadFile{
            "scores.csv", "a,b\n1,0.5\n0.5,1\n", "--scores", {"--covariance", "--scores", "-"}}),
    name_of);

TEST(BadInput, ATruncatedGzipIsRejected) {
  const Folder folder;
  const std::string csv = folder / "random.csv";
  ASSERT_EQ(run({"datasets", "random:n=200,p=20", "--csv", csv}).status, 0);
  ASSERT_EQ(std::system(("gzip " + csv).c_str()), 0);
  const std::string whole = content_of(csv + ".gz");
  const std::string cut = folder.write("cut.csv.gz", whole.substr(0, whole.size() / 2));
  expect_fit_rejected(cut, {"cut.csv.gz", "", "cut.csv.gz"});
}

TEST(BadInput, AFileThatIsNotThereIsRejected) {
  const Folder folder;
  expect_fit_rejected(folder / "nothing.csv", {"nothing.csv", "", "nothing.csv"});
  expect_fit_rejected(folder.path(), {"folder", "", folder.path()});
}

TEST(BadInput, AHeaderThatLiesIsNotAllocated) {
  const Folder folder;
  const std::string file =
      folder.write("lie.npy", npy(npy_header("<f8", "(100000, 200000)"), std::string(64, '\0')));
  const Outcome outcome = run({"fit", file, "-r", "1"}, {.time_limit = 10});
  expect_rejected(outcome, "lie.npy");
}

TEST(BadInput, WrongCallsAreRejected) {
  const std::vector<BadCall> calls = {
      {"no components", {"fit", "@pitprops", "-r", "0"}, "--components 0: it must be from 1 to 13"},
      {"negative", {"fit", "@pitprops", "-r", "-3"}, "--components -3: "},
      {"text", {"fit", "@pitprops", "-r", "six"}, "six"},
      {"fraction", {"fit", "@pitprops", "-r", "2.5"}, "2.5"},
      {"too many", {"fit", "@pitprops", "-r", "14"}, "13"},
      {"more than samples", {"fit", "@random:n=5,p=9", "-r", "6"}, "5"},
      {"lambda 1", {"fit", "@pitprops", "--lambda", "1"}, "lambda"},
      {"lambda negative", {"fit", "@pitprops", "--lambda", "-0.1"}, "-0.1"},
      {"lambda nan", {"fit", "@pitprops", "--lambda", "nan"}, "nan"},
      {"lambda text", {"fit", "@pitprops", "--lambda", "much"}, "much"},
      {"lambda empty", {"fit", "@pitprops", "--lambda", ""}, "lambda"},
      {"count p", {"fit", "@pitprops", "--truncation", "count", "--lambda", "13"}, "13"},
      {"count part", {"fit", "@pitprops", "--truncation", "sp", "--lambda", "2.5"}, "2.5"},
      {"energy 1", {"fit", "@pitprops", "--truncation", "energy", "--lambda", "1"}, "lambda"},
      {"nonzeros 0", {"fit", "@pitprops", "--nonzeros", "0"}, "nonzeros"},
      {"two targets", {"fit", "@pitprops", "--nonzeros", "3", "--keep", "0.9"}, "give one"},
      {"sparsity 1", {"fit", "@pitprops", "--sparsity", "1"}, "sparsity"},
      {"keep 0", {"fit", "@pitprops", "--keep", "0"}, "keep"},
      {"keep 2", {"fit", "@pitprops", "--keep", "2"}, "keep"},
      {"variance 0", {"fit", "@pitprops", "--variance", "0"}, "variance"},
      {"variance and r", {"fit", "@pitprops", "-r", "2", "--variance", ".5"}, "give one"},
      {"restarts -1", {"fit", "@pitprops", "--restarts", "-1"}, "restarts"},
      {"restarts of pca", {"fit", "@pitprops", "--method", "pca", "--restarts", "2"}, "restarts"},
      {"truncation", {"fit", "@pitprops", "--truncation", "sharp"}, "sharp"},
      {"method", {"fit", "@pitprops", "--method", "magic"}, "magic"},
      {"truncation of gpower",
       {"fit", "@pitprops", "--method", "gpower", "--truncation", "energy"},
       "methods that have it are spcart"},
      {"start of tpower",
       {"fit", "@pitprops", "--method", "tpower", "--start", "identity"},
       "methods that start there are spcart"},
      {"lambda of pca", {"fit", "@pitprops", "--method", "pca", "--lambda", "0.1"}, "pca"},
      {"lambda of spc", {"fit", "@pitprops", "--method", "spc", "--lambda", "0.1"}, "at least 1"},
      {"ridge of st", {"fit", "@pitprops", "--method", "st", "--ridge", "1"}, "spca"},
      {"ridge", {"fit", "@pitprops", "--method", "spca", "--ridge", "nan"}, "nan"},
      {"post-fit", {"fit", "@pitprops", "--method", "gpower", "--post-fit", "maybe"}, "maybe"},
      {"orthogonality",
       {"fit", "@pitprops", "--method", "alspca", "--orthogonality", "0"},
       "above 0"},
      {"refine", {"fit", "@pitprops", "--refine", "-1"}, "-1"},
      {"start", {"fit", "@pitprops", "--start", "here"}, "here"},
      {"solver", {"fit", "@pitprops", "--solver", "magic"}, "magic"},
      {"order", {"fit", "@pitprops", "--order", "random"}, "random"},
      {"missing", {"fit", "@pitprops", "--missing", "maybe"}, "maybe"},
      {"precision", {"fit", "@pitprops", "--precision", "half"}, "half"},
      {"header", {"fit", "@pitprops", "--header", "maybe"}, "maybe"},
      {"tolerance", {"fit", "@pitprops", "--tolerance", "-1"}, "tolerance"},
      {"iterations", {"fit", "@pitprops", "--max-iterations", "0"}, "max-iterations"},
      {"threads", {"fit", "@pitprops", "--threads", "-1"}, "threads"},
      {"many threads", {"fit", "@pitprops", "--threads", "100000"}, "threads"},
      {"seed", {"fit", "@pitprops", "--seed", "-1"}, "seed"},
      {"dataset", {"fit", "@nothing"}, "@nothing"},
      {"parameter", {"fit", "@random:m=3"}, "'m'"},
      {"exclude", {"fit", "@pitprops", "--exclude", "moist"}, "moist"},
      {"no data", {"fit"}, "DATA"},
      {"no file", {"fit", "@pitprops", "--json"}, "--json needs a value"},
      {"empty file", {"fit", "@pitprops", "--json", ""}, "--json: its value is empty"},
      {"empty csv", {"datasets", "pitprops", "--csv", ""}, "--csv: its value is empty"},
      {"empty overlap", {"fit", "@pitprops", "--overlap", ""}, "--overlap: its value is empty"},
      {"empty nonzeros",
       {"compare", "@pitprops", "--nonzeros", ""},
       "--nonzeros: its value is empty"},
      {"empty list", {"choose", "@spiked", "-r", ""}, "--components: its value is empty"},
      {"option for value", {"fit", "@pitprops", "--json", "--quiet"}, "--json: it needs a value"},
      {"row labels", {"fit", "@pitprops", "--row-labels", "maybe"}, "--row-labels maybe: "},
      {"option", {"fit", "@pitprops", "--lamda", "1"}, "did you mean --lambda"},
      {"argument", {"fit", "@pitprops", "more.csv"}, "more.csv"},
      {"value twice", {"fit", "@pitprops", "-r", "2", "-r", "3"}, "--components is given twice"},
      {"command", {"fti"}, "did you mean fit"},
      {"option alone", {"--quite"}, "--quite"},
      {"no loadings", {"evaluate", "@pitprops"}, "--loadings"},
      {"loadings not there", {"evaluate", "@pitprops", "--loadings", "no.csv"}, "no.csv"},
      {"no model", {"transform", "@random"}, "--model"},
      {"model not there", {"transform", "@random", "--model", "no.json"}, "no.json"},
      {"evaluate threads",
       {"evaluate", "@pitprops", "--loadings", "x", "--threads", "x"},
       "threads"},
      {"csv of nothing", {"datasets", "--csv", "x.csv"}, "--csv"},
      {"info", {"info", "no.csv"}, "no.csv"},
      {"demo", {"demo", "--out", "/dev/null/x"}, "/dev/null/x"},
  };
  for (const BadCall& call : calls) {
    SCOPED_TRACE(call.name);
    expect_rejected(run(call.arguments), call.word);
  }
}

TEST(BadInput, LoadingsThatDoNotFitAreRejected) {
  const Folder folder;
  const std::string few = folder.write("few.csv", "PC1,PC2\n1,0\n0,1\n");
  expect_rejected(run({"evaluate", "@pitprops", "--loadings", few}), "13");
  const std::string words = folder.write("words.csv", "PC1\nmuch\n");
  expect_rejected(run({"evaluate", "@pitprops", "--loadings", words}), "much");
}

TEST(BadInput, AModelThatIsNoneIsRejected) {
  const Folder folder;
  for (const char* text :
       {"", "{", "[]", "{}", "{\"loadings\": 3}", "null",
        "{\"names\": [\"a\"], \"loadings\": [{\"index\": [7], \"value\": [1]}]}"}) {
    SCOPED_TRACE(text);
    const std::string model = folder.write("model.json", text);
    expect_rejected(run({"transform", "@random", "--model", model}), "model.json");
  }
}

}  // namespace
}  // namespace spcart::testing

#include "studies/reproduce/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <pugixml.hpp>

#include "studies/reproduce/reproduce.h"

namespace supple::reproduce {
namespace {

Section known_section() {
  Section section{
      .id = "figure_1", .title = "Figure 1: a <b> & \"c\"", .finding = {}, .seconds = 1};
  Finding& finding = section.finding;
  finding.scene = "x < y & y > z";
  finding.figures.push_back({"a plot", "<svg/>", {}, 600});
  finding.figures.push_back({"a picture", "", {0x89, 'P', 'N', 'G'}, 300});
  finding.tables.push_back({"caption", {"one", "two"}, {{"1", "<2>"}, {"3", "4"}}});
  finding.claims = {{"It is small.", {"size", Relation::below, 1}, {}},
                    {"It is <large>.", {"size", Relation::above, 1}, {}},
                    {"Nobody knows.", {"size", Relation::above, 1}, {}}};
  finding.claims[0].measure("generated mesh", 0.5, "0.5 & less");
  finding.claims[1].measure("generated mesh", 2, "2");
  finding.claims[1].measure("published mesh", 0.5, "0.5");
  finding.claims[2].not_measured("generated mesh", "the method <x> is missing");
  finding.notes = {"a note & more"};
  finding.data = {{"figure_1_data.csv", "a\n"}};
  return section;
}

ReportHead known_head() {
  ReportHead head{.paper = "paper<1>", .citation = "A & B: \"C\""};
  head.machine.processor = "A <processor>";
  return head;
}

/// All elements with this name.
std::vector<pugi::xml_node> all(const pugi::xml_node& page, const std::string& name) {
  std::vector<pugi::xml_node> nodes;
  for (const auto& found : page.select_nodes(("//" + name).c_str())) nodes.push_back(found.node());
  return nodes;
}

class Report : public testing::Test {
 protected:
  void SetUp() override {
    text_ = report_html(known_head(), {known_section()});
    const auto result = page_.load_string(text_.c_str());
    ASSERT_TRUE(result) << result.description() << " near "
                        << text_.substr(static_cast<std::size_t>(result.offset), 80);
  }
  std::string text_;
  pugi::xml_document page_;
};

TEST_F(Report, TextComesBackAsItWasWritten) {
  const auto headings = all(page_, "section/h2");
  ASSERT_EQ(headings.size(), 1U);
  EXPECT_EQ(std::string(headings[0].text().get()), "Figure 1: a <b> & \"c\"");
  EXPECT_EQ(std::string(all(page_, "section/p")[0].text().get()), "x < y & y > z");
  EXPECT_NE(text_.find("A &lt;processor&gt;"), std::string::npos);
}

TEST_F(Report, ChipsSayTheVerdicts) {
  std::vector<std::string> chips;
  for (const auto& node : all(page_, "table[@class='summary']//span")) {
    chips.emplace_back(node.text().get());
  }
  EXPECT_EQ(chips, (std::vector<std::string>{"holds", "does not hold (1 of 2)", "not measured"}));
  EXPECT_EQ(all(page_, "table[@class='claims']//span").size(), 4U) << "one for each body";
  EXPECT_NE(text_.find("3 claims: 1 hold, 1 do not hold, 1 could not be measured."),
            std::string::npos);
}

TEST_F(Report, LinksOfTheSummaryLeadToTheSections) {
  const auto links = all(page_, "table[@class='summary']//a");
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(std::string(links[0].attribute("href").value()), "#figure_1");
  EXPECT_EQ(std::string(all(page_, "section")[0].attribute("id").value()), "figure_1");
}

TEST_F(Report, NeedsNothingElse) {
  EXPECT_EQ(all(page_, "script").size() + all(page_, "link").size(), 0U);
  const auto images = all(page_, "img");
  ASSERT_EQ(images.size(), 2U);
  EXPECT_EQ(std::string(images[0].attribute("src").value()), "data:image/svg+xml;base64,PHN2Zy8+");
  EXPECT_EQ(std::string(images[1].attribute("src").value()), "data:image/png;base64,iVBORw==");
}

TEST(ReportText, EntitiesAndControlCharacters) {
  EXPECT_EQ(escape("<a href='b'>&\"\x01\n"), "&lt;a href=&#39;b&#39;&gt;&amp;&quot;\n");
}

// RFC 4648, section 10.
TEST(ReportText, Base64OfTheStandardsExamples) {
  const auto of = [](const std::string& text) {
    return base64(std::vector<unsigned char>(text.begin(), text.end()));
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(ReportText, ClaimsAsATable) {
  const std::string csv = claims_csv({known_section()});
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "experiment,claim,criterion,subject,value,measured,verdict");
  EXPECT_NE(csv.find("figure_1,It is small.,size < 1,generated mesh,0.5,0.5 & less,holds\n"),
            std::string::npos)
      << csv;
}

}  // namespace
}  // namespace supple::reproduce

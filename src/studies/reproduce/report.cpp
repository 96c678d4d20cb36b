#include "studies/reproduce/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "studies/reproduce/page_style.h"
#include "supple/version.h"

namespace supple::reproduce {

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string base64(const std::vector<unsigned char>& bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned int group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < left ? static_cast<unsigned int>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= left ? digits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return text;
}

namespace {

std::string chip(Verdict verdict, const std::string& text) {
  const char* const kind = verdict == Verdict::holds           ? "holds"
                           : verdict == Verdict::does_not_hold ? "fails"
                                                               : "open";
  return fmt::format("<span class=\"chip {}\">{}</span>", kind, escape(text));
}

/// The verdict and, if not all bodies agree, the number of bodies that it rests on.
std::string verdict_of(const Claim& claim) {
  std::size_t counts[3] = {0, 0, 0};
  for (const Outcome& outcome : claim.outcomes) ++counts[static_cast<int>(outcome.verdict)];
  const Verdict verdict = claim.verdict();
  const std::size_t same = counts[static_cast<int>(verdict)];
  std::string text = to_string(verdict);
  if (same < claim.outcomes.size()) text += fmt::format(" ({} of {})", same, claim.outcomes.size());
  return chip(verdict, text);
}

std::string counts_text(const std::vector<Section>& sections) {
  int counts[3] = {0, 0, 0};
  for (const Section& section : sections) {
    for (const Claim& claim : section.finding.claims) ++counts[static_cast<int>(claim.verdict())];
  }
  return fmt::format("{} claims: {} hold, {} do not hold, {} could not be measured.",
                     counts[0] + counts[1] + counts[2], counts[0], counts[1], counts[2]);
}

std::string head_html(const ReportHead& head, const std::vector<Section>& sections) {
  const Machine& machine = head.machine;
  std::string meshes = "generated meshes of about the paper's sizes";
  if (head.quick) meshes = "small generated meshes (a quick run: its numbers are not measurements)";
  if (head.published_meshes && !head.quick) meshes += ", and the paper's published meshes";
  return fmt::format(
             "<header><p class=\"kicker\">supple reproduce {}</p><h1>What a paper says, measured "
             "again</h1><p>{}.</p>"
             "<p>Each claim of its figures and tables becomes a sentence, a number measured here "
             "and a bound beside it. The bound alone decides whether the claim holds. The relative "
             "error is (g(x_k) - g*)/(g(x_0) - g*) with the converged value g*; errors below 1e-12 "
             "count as 1e-12.</p>"
             "<dl><dt>Bodies</dt><dd>{}</dd><dt>Machine</dt><dd>{}, {} cores, {:.0f} GiB; {} "
             "{}</dd>"
             "<dt>Program</dt><dd>supple {}, {}, {} build</dd>"
             "<dt>Times</dt><dd>wall clock of the step, medians of up to three runs; ratios are "
             "taken within this run. {:.0f} s in total.</dd></dl></header>\n",
             escape(head.paper), escape(head.citation), escape(meshes), escape(machine.processor),
             machine.cores, machine.memory,
             head.threads == 0 ? "all" : fmt::format("{}", head.threads),
             head.threads == 1 ? "thread used" : "threads used", escape(version()),
             escape(machine.compiler), escape(machine.build), head.seconds) +
         fmt::format("<h2>Summary</h2><p>{}</p>\n", counts_text(sections));
}

std::string summary_html(const std::vector<Section>& sections) {
  std::string text =
      "<div class=\"wide\"><table class=\"summary\"><thead><tr><th>figure</th><th>claim</th>"
      "<th>verdict</th></tr></thead><tbody>\n";
  for (const Section& section : sections) {
    const auto& claims = section.finding.claims;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      text += "<tr>";
      if (i == 0) {
        const std::string& title = section.title;
        text += fmt::format("<th rowspan=\"{}\"><a href=\"#{}\">{}</a></th>", claims.size(),
                            escape(section.id), escape(title.substr(0, title.find(':'))));
      }
      text += fmt::format("<td>{}</td><td>{}</td></tr>\n", escape(claims[i].text),
                          verdict_of(claims[i]));
    }
  }
  return text + "</tbody></table></div>\n";
}

std::string figures_html(const std::vector<Figure>& figures) {
  std::string text = "<div class=\"figures\">";
  for (const Figure& figure : figures) {
    text += fmt::format("<figure style=\"max-width:{}px; flex-basis:{}\">", figure.width,
                        figure.width > 800 ? "100%" : "30rem");
    // Each figure is an image of its own: ids of several SVG documents would clash in one page.
    const bool vector = !figure.svg.empty();
    text +=
        fmt::format("<img alt=\"{}\" src=\"data:image/{};base64,{}\"/>", escape(figure.caption),
                    vector ? "svg+xml" : "png",
                    base64(vector ? std::vector<unsigned char>(figure.svg.begin(), figure.svg.end())
                                  : figure.png));
    text += fmt::format("<figcaption>{}</figcaption></figure>\n", escape(figure.caption));
  }
  return text + "</div>\n";
}

std::string table_html(const Table& table) {
  std::string text = fmt::format("<div class=\"wide\"><table><caption>{}</caption><thead><tr>",
                                 escape(table.caption));
  for (const std::string& column : table.columns) {
    text += fmt::format("<th>{}</th>", escape(column));
  }
  text += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (const std::string& cell : row) {
      // Keep a number and its unit on one line.
      const bool is_number = !cell.empty() && cell.size() < 12 && cell[0] >= '0' && cell[0] <= '9';
      text += fmt::format("<td{}>{}</td>", is_number ? " class=\"number\"" : "", escape(cell));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string claims_html(const std::vector<Claim>& claims) {
  std::string text =
      "<div class=\"wide\"><table class=\"claims\"><thead><tr><th>claim</th><th>on</th>"
      "<th>measured</th><th>verdict</th></tr></thead><tbody>\n";
  for (const Claim& claim : claims) {
    const std::size_t rows = std::max<std::size_t>(claim.outcomes.size(), 1);
    text += fmt::format("<tr><th rowspan=\"{}\">{}<small>{}</small></th>", rows, escape(claim.text),
                        escape(to_string(claim.criterion)));
    if (claim.outcomes.empty()) {
      text += fmt::format("<td>-</td><td>-</td><td>{}</td></tr>\n",
                          chip(Verdict::not_measured, to_string(Verdict::not_measured)));
    }
    for (std::size_t i = 0; i < claim.outcomes.size(); ++i) {
      const Outcome& outcome = claim.outcomes[i];
      text += fmt::format("{}<td class=\"subject\">{}</td><td>{}</td><td>{}</td></tr>\n",
                          i > 0 ? "<tr>" : "", escape(outcome.subject), escape(outcome.measured),
                          chip(outcome.verdict, to_string(outcome.verdict)));
    }
  }
  return text + "</tbody></table></div>\n";
}

std::string section_html(const Section& section) {
  const Finding& finding = section.finding;
  std::string text = fmt::format("<section id=\"{}\"><h2>{}</h2><p>{}</p>\n", escape(section.id),
                                 escape(section.title), escape(finding.scene));
  if (!finding.figures.empty()) text += figures_html(finding.figures);
  for (const Table& table : finding.tables) text += table_html(table);
  if (!finding.claims.empty()) text += claims_html(finding.claims);
  for (const std::string& note : finding.notes) {
    text += fmt::format("<p class=\"note\">{}</p>\n", escape(note));
  }
  std::string files;
  for (const DataFile& file : finding.data) {
    files += fmt::format("{}<a href=\"{}\">{}</a>", files.empty() ? "" : ", ", escape(file.name),
                         escape(file.name));
  }
  if (!files.empty()) files = "Raw numbers: " + files + ". ";
  return text + fmt::format(
                    "<p class=\"foot\">{}Took {:.1f} s. <a href=\"#top\">Up</a></p>"
                    "</section>\n",
                    files, section.seconds);
}

}  // namespace

std::string report_html(const ReportHead& head, const std::vector<Section>& sections) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
      "<title>{}</title><style>{}</style></head>\n<body id=\"top\">\n",
      escape("supple reproduce " + head.paper), page_style);
  text += head_html(head, sections) + summary_html(sections);
  for (const Section& section : sections) text += section_html(section);
  return text + "</body></html>\n";
}

}  // namespace supple::reproduce

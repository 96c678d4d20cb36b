#pragma once

#include <string>
#include <utility>
#include <vector>

#include "studies/reproduce/claim.h"

namespace supple::reproduce {

/// A plot or a picture, ready to be placed in a page.
struct Figure {
  std::string caption;
  std::string svg;                 ///< an SVG document; empty if there is a PNG
  std::vector<unsigned char> png;  ///< the bytes of a PNG file; empty if there is an SVG
  int width = 0;                   ///< pixels, as shown
};

/// A table of texts.
struct Table {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `columns`
};

/// Raw numbers, written beside the report.
struct DataFile {
  std::string name;  ///< without folder
  std::string content;
};

/// What an experiment found.
struct Finding {
  std::string scene;  ///< what was simulated and compared, in a few sentences
  std::vector<Figure> figures;
  std::vector<Table> tables;
  std::vector<Claim> claims;
  std::vector<std::string> notes;  ///< what differs from the paper, what could not be run
  std::vector<DataFile> data;
};

}  // namespace supple::reproduce

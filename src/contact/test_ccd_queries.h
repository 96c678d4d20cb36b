#pragma once

#include <array>
#include <string>
#include <vector>

#include "contact/ccd.h"

namespace supple {

enum class CcdKind { vertex_face, edge_edge };

/// A query with its known answer.
struct CcdQuery {
  std::array<Vec3, 4> before, after;  ///< as `vertex_face_ccd` and `edge_edge_ccd` take them
  bool meets;
  bool rounded = false;  ///< whether a coordinate in a file was not a double
};

inline CcdAnswer detect(CcdKind kind, const CcdQuery& query, const CcdSettings& settings = {},
                        CcdProof* proof = nullptr) {
  return kind == CcdKind::edge_edge ? edge_edge_ccd(query.before, query.after, settings, proof)
                                    : vertex_face_ccd(query.before, query.after, settings, proof);
}

/// The kind that the file's own name states: by the word `ee` or `edge-edge`, or `vf` or
/// `vertex-face`; a word ends where the letters end. Throws Error{bad_file} unless exactly one kind
/// is stated.
CcdKind ccd_kind(const std::string& path);

/// Reads queries in the format of Wang et al. 2021, with or without gzip: eight rows per query,
/// four points before and four after. A row has x, y and z, each as numerator and denominator in
/// decimal integers of any length, then 1 if the features meet and 0 if not. Coordinates are
/// rounded to the nearest double. Throws Error{bad_file}, which says where and what is wrong.
std::vector<CcdQuery> read_ccd_queries(const std::string& path);

struct NearestDouble {
  double value;
  bool exact;
};

/// The double nearest to a fraction of two decimal integers; if two are equally near, the even one.
/// Throws Error{bad_file} at `where` if they are not such integers, if the denominator is zero or
/// if the fraction exceeds a double.
NearestDouble nearest_double(const std::string& numerator, const std::string& denominator,
                             const std::string& where);

}  // namespace supple

#include "descent/gauss_seidel.h"

#include <algorithm>

#include "descent/coordinates.h"
#include "descent/laplacian.h"
#include "elements/corner_block.h"
#include "elements/vertex_adjacency.h"

namespace supple {

namespace {

/// Vertices that one thread processes at a time, in about 10 us.
constexpr int vertices_a_chunk = 64;

}  // namespace

GaussSeidel::GaussSeidel(const Model& model, int refresh, double inverse_a2)
    : GaussSeidel(model, refresh, inverse_a2, vertex_adjacency(model)) {}

GaussSeidel::GaussSeidel(const Model& model, int refresh, double inverse_a2,
                         const Adjacency& adjacency)
    : colouring_(colour_vertices(adjacency.start, adjacency.neighbour)),
      order_(colouring_.vertices.rbegin(), colouring_.vertices.rend()),
      hessian_(model, order_, adjacency),
      floor_(pivot_floor(model, inverse_a2)),
      step_(order_.size()),
      refresh_(refresh) {
  const int n = model.num_vertices;
  for (auto start = colouring_.start.rbegin(); start != colouring_.start.rend(); ++start) {
    colour_start_.push_back(n - *start);
  }
}

void GaussSeidel::pins_changed(const PinChange& change) {
  floor_ = pivot_floor(change.model, change.inverse_a2);
}

void GaussSeidel::materials_changed(const MaterialChange& change) {
  if (!change.same_places) hessian_.places_changed();
  floor_ = pivot_floor(change.model, change.inverse_a2);
}

void GaussSeidel::begin_step(Objective& objective) {
  age_ = 0;
  if (objective.contact() != nullptr) touching_.reserve(objective.contact()->max_contacts());
}

bool GaussSeidel::contacts_changed(const Objective& objective) {
  if (objective.contact() == nullptr) return false;
  const auto contacts = objective.contact()->contacts();
  const bool same = std::equal(contacts.begin(), contacts.end(), touching_.begin(), touching_.end(),
                               [](const Contact& contact, const ContactPoint& point) {
                                 return std::equal(contact.point.vertices,
                                                   contact.point.vertices + contact.point.count,
                                                   point.vertices, point.vertices + point.count);
                               });
  if (same) return false;
  touching_.clear();
  for (const Contact& contact : contacts) touching_.push_back(contact.point);
  return true;
}

void GaussSeidel::solve_vertex(std::size_t place, const VectorField& gradient) {
  const SpdSolver::Matrix& lower = hessian_.lower();
  const double* values = lower.valuePtr();
  const int* start = lower.outerIndexPtr();
  const int* rows = lower.innerIndexPtr();
  const auto vertex = static_cast<std::size_t>(order_[place]);
  // Column c of the block column: rows c to 2 of the diagonal block, then three per neighbour.
  const double* column[3];
  for (std::size_t c = 0; c < 3; ++c) column[c] = values + start[3 * place + c];
  Vector3<double> right{{-gradient[vertex][0], -gradient[vertex][1], -gradient[vertex][2]}};
  const int first = start[3 * place] + 3;
  const int count = start[3 * place + 1] - first;
  for (int e = 0; e < count; e += 3) {
    const PaddedVector& other = step_[static_cast<std::size_t>(rows[first + e] / 3)];
    for (int c = 0; c < 3; ++c) {
      const double* block = column[c] + (3 - c) + e;
      right[c] -= block[0] * other[0] + block[1] * other[1] + block[2] * other[2];
    }
  }
  Mat3<double> diagonal;
  for (int c = 0; c < 3; ++c) {
    for (int r = c; r < 3; ++r) diagonal(r, c) = diagonal(c, r) = column[c][r - c];
  }
  const Vector3<double> d = detail::solve_symmetric(diagonal, right, floor_[vertex]);
  for (int k = 0; k < 3; ++k) step_[place][k] = d[k];
}

bool GaussSeidel::compute(Objective& objective, const Iterate& at, VectorField& p) {
  const bool changed = contacts_changed(objective);
  if (age_ == 0 || changed) {
    hessian_.assemble(objective, at.x);
    age_ = 0;
  }
  age_ = (age_ + 1) % refresh_;
  for (int colour = num_colours() - 1; colour >= 0; --colour) {
    const int first = colour_start_[static_cast<std::size_t>(colour)];
    const int last = colour_start_[static_cast<std::size_t>(colour) + 1];
    const int num_chunks = (last - first + vertices_a_chunk - 1) / vertices_a_chunk;
    objective.threads().parallel_for(num_chunks, [&](int chunk) {
      const int begin = first + chunk * vertices_a_chunk;
      const int end = std::min(begin + vertices_a_chunk, last);
      for (int place = begin; place < end; ++place) {
        solve_vertex(static_cast<std::size_t>(place), at.gradient);
      }
    });
  }
  for (std::size_t place = 0; place < order_.size(); ++place) {
    p[static_cast<std::size_t>(order_[place])] = step_[place];
  }
  return true;
}

}  // namespace supple

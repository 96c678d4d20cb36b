#include "render/png_file.h"

#include <fcntl.h>
#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <memory>
#include <system_error>

#include "supple/error.h"

namespace supple {

namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void fail(const std::filesystem::path& part, const std::filesystem::path& path,
                       const std::string& why) {
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  throw Error(ErrorKind::bad_file, path.string(), "cannot be written: " + why);
}

std::string reason(int code) { return std::generic_category().message(code); }

void append_bytes(png_structp png, png_bytep bytes, png_size_t count) {
  auto& all = *static_cast<std::vector<unsigned char>*>(png_get_io_ptr(png));
  bool appended = true;
  try {
    all.insert(all.end(), bytes, bytes + count);
  } catch (...) {
    // libpng is C: an exception must not pass through it.
    appended = false;
  }
  if (!appended) png_error(png, "there is not enough memory");
}

void nothing_to_flush(png_structp) {}

void check_size(const Image& image, const std::string& where) {
  const auto pixels =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (image.width < 1 || image.height < 1 || image.rgb.size() != 3 * pixels) {
    throw Error(ErrorKind::invalid_input, where, "the image's size does not fit its data");
  }
}

/// Writes to the file or, if it is null, to the bytes. libpng reports errors by jumping back here,
/// so nothing with a destructor may live in between.
bool write_rows(std::FILE* file, std::vector<unsigned char>* bytes, const Image& image) {
  const auto on_error = [](png_structp png, png_const_charp) { png_longjmp(png, 1); };
  const auto on_warning = [](png_structp, png_const_charp) {};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, on_warning);
  if (png == nullptr) return false;
  png_infop info = png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_write_struct(&png, nullptr);
    return false;
  }
  if (setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  if (file != nullptr) {
    png_init_io(png, file);
  } else {
    png_set_write_fn(png, bytes, append_bytes, nothing_to_flush);
  }
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  for (int y = 0; y < image.height; ++y) png_write_row(png, image.pixel(0, y));
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image) {
  check_size(image, path.string());
  std::filesystem::path part = path;
  part += ".part";
  std::unique_ptr<std::FILE, Closer> file(std::fopen(part.c_str(), "wbe"));
  if (!file) {
    throw Error(ErrorKind::bad_file, path.string(), "cannot be written: " + reason(errno));
  }
  errno = 0;
  const bool written = write_rows(file.get(), nullptr, image) && std::fflush(file.get()) == 0 &&
                       fsync(fileno(file.get())) == 0;
  const int code = errno;
  if (std::fclose(file.release()) != 0 || !written) {
    fail(part, path, code != 0 ? reason(code) : "libpng failed");
  }
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (error) fail(part, path, error.message());
}

std::vector<unsigned char> png_bytes(const Image& image) {
  check_size(image, "image");
  std::vector<unsigned char> bytes;
  if (!write_rows(nullptr, &bytes, image)) {
    throw Error(ErrorKind::bad_file, "image", "cannot be made a PNG: libpng failed");
  }
  return bytes;
}

}  // namespace supple

#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace spcart::io {

/// An array of plain values that grows as they are appended. The system moves large blocks without
/// copying them, and memory that is reserved but not yet written is not used: an array never needs
/// twice its size.
template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);
  template <class U>
  friend class GrowingArray;

 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    GrowingArray(std::move(other)).swap(*this);
    return *this;
  }
  ~GrowingArray() { std::free(data_); }

  std::size_t size() const { return size_; }
  T* data() { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }

  void push_back(T value) { *extend(1) = value; }

  /// Appends `count` uninitialised values, and returns their address.
  T* extend(std::size_t count) {
    if (count > capacity_ - size_) grow(count);
    size_ += count;
    return data_ + size_ - count;
  }

  /// Shrinks the array to `size` values.
  void cut(std::size_t size) { size_ = size; }

  /// The values of f for these, which are no larger, in the same memory; this array is empty
  /// afterwards.
  template <class U, class F>
  GrowingArray<U> converted(F f) {
    static_assert(sizeof(U) <= sizeof(T));
    for (std::size_t i = 0; i < size_; ++i) {
      const U value = f(data_[i]);
      std::memcpy(reinterpret_cast<char*>(data_) + i * sizeof(U), &value, sizeof(U));
    }
    GrowingArray<U> out;
    out.data_ = reinterpret_cast<U*>(std::exchange(data_, nullptr));
    out.size_ = std::exchange(size_, 0);
    out.capacity_ = std::exchange(capacity_, 0) * (sizeof(T) / sizeof(U));
    return out;
  }

  /// The values of f(i, value) for these, which are larger, in the same memory as far as it
  /// suffices; f is called from the last to the first. This array is empty afterwards.
  template <class U, class F>
  GrowingArray<U> widened(F f) {
    static_assert(sizeof(U) >= sizeof(T) && sizeof(U) % sizeof(T) == 0);
    set_capacity(size_ * (sizeof(U) / sizeof(T)));
    for (std::size_t i = size_; i-- > 0;) {
      const U value = f(i, data_[i]);
      std::memcpy(reinterpret_cast<char*>(data_) + i * sizeof(U), &value, sizeof(U));
    }
    GrowingArray<U> out;
    out.data_ = reinterpret_cast<U*>(std::exchange(data_, nullptr));
    out.size_ = std::exchange(size_, 0);
    out.capacity_ = std::exchange(capacity_, 0) / (sizeof(U) / sizeof(T));
    return out;
  }

  /// Passes the memory to the returned owner; the array is empty afterwards.
  std::shared_ptr<T> release() {
    if (size_ > 0) set_capacity(size_);
    std::shared_ptr<T> owner(data_, [](T* data) { std::free(data); });
    data_ = nullptr;
    size_ = capacity_ = 0;
    return owner;
  }

 private:
  void swap(GrowingArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  void grow(std::size_t count) {
    constexpr std::size_t kSmall = (std::size_t{1} << 24) / sizeof(T);
    const std::size_t step = capacity_ < kSmall ? capacity_ + 16 : capacity_ / 8;
    set_capacity(size_ + (count > step ? count : step));
  }

  void set_capacity(std::size_t capacity) {
    if (capacity > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    void* moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace spcart::io

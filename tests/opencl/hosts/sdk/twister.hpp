// The small Mersenne twister of three samples: eight blocks of 128 bits from one seed, and two normally distributed
// numbers from two of them.
#ifndef HOSTS_SDK_TWISTER_HPP
#define HOSTS_SDK_TWISTER_HPP

#include "sdk.hpp"

#include <cmath>

namespace sdk {

struct Block {
  cl_uint at[4];
};

struct Twister {
  explicit Twister(const Block& seed) {
    static const cl_uint kMasks[] = {0xfdff37ffu, 0xef7f3f7du, 0xff777b7du, 0x7ff7fb2fu};
    static const int kBeside[] = {2, 3, 4, 0, 1, 7, 8, 9};
    Block chain[13];  // five states, then what is made of them
    chain[0] = seed;
    for (int n = 1; n < 5; ++n)
      for (int c = 0; c < 4; ++c) {
        const cl_uint last = chain[n - 1].at[c];
        chain[n].at[c] = 1812433253u * (last ^ last >> 30) + n;
      }
    for (int n = 0; n < 8; ++n) {
      const Block &a = chain[n], &b = chain[kBeside[n]], &r1 = chain[n + 3], &r2 = chain[n + 4];
      for (int c = 0; c < 4; ++c) {
        const cl_uint left = a.at[c] << 24 | (c > 0 ? a.at[c - 1] >> 8 : 0);
        const cl_uint right = r1.at[c] >> 24 | (c < 3 ? r1.at[c + 1] << 8 : 0);
        chain[n + 5].at[c] = a.at[c] ^ left ^ (b.at[c] >> 13 & kMasks[c]) ^ right ^ r2.at[c] << 15;
      }
    }
    for (int n = 0; n < 8; ++n) made[n] = chain[n + 5];
  }
  Block made[8];
};

// From two words, by cosine and by sine.
inline void normal(cl_uint first, cl_uint second, double* cosine, double* sine) {
  const double r = std::sqrt(-2.0 * std::log(first / 4294967296.0)),
               phi = 2.0 * 3.14159265358979 * (second / 4294967296.0);
  *cosine = r * std::cos(phi);
  *sine = r * std::sin(phi);
}

}  // namespace sdk

#endif

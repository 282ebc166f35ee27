// AES with 128 bits over a picture of grey values, encrypted and decrypted again: tiny groups, bytes in local memory,
// and buffers in the memory of the host.
#include "sdk.hpp"

namespace {

cl_uchar times(cl_uint a, cl_uint b) {
  cl_uint out = 0;
  for (; b != 0; b >>= 1, a = a << 1 ^ ((a & 0x80) != 0 ? 0x11b : 0))
    if ((b & 1) != 0) out ^= a;
  return static_cast<cl_uchar>(out);
}

// The box of bytes and its inverse, from their definition.
struct Boxes {
  Boxes() : forward(256), inverse(256) {
    for (cl_uint n = 0; n < 256; ++n) {
      cl_uint reciprocal = 0;
      while (n != 0 && times(n, reciprocal) != 1) ++reciprocal;
      cl_uint value = 0x63;
      for (cl_uint turn = 0; turn < 5; ++turn) value ^= (reciprocal << turn | reciprocal >> (8 - turn)) & 0xff;
      forward[n] = static_cast<cl_uchar>(value);
      inverse[value] = static_cast<cl_uchar>(n);
    }
  }
  std::vector<cl_uchar> forward, inverse;
};

// Keys of all rounds, four bytes of each in a row: column by column in the standard, row by row here.
std::vector<cl_uchar> expandKey(const std::vector<cl_uchar>& key, const Boxes& boxes, cl_uint rounds) {
  std::vector<cl_uchar> words(key);
  cl_uint constant = 1;
  while (words.size() < 16 * (rounds + 1)) {
    cl_uchar last[4];
    const std::size_t at = words.size();
    for (int n = 0; n < 4; ++n) last[n] = words[at - 4 + (at % 16 == 0 ? (n + 1) % 4 : n)];
    if (at % 16 == 0) {
      for (int n = 0; n < 4; ++n) last[n] = boxes.forward[last[n]];
      last[0] = static_cast<cl_uchar>(last[0] ^ constant);
      constant = times(constant, 2);
    }
    for (int n = 0; n < 4; ++n) words.push_back(static_cast<cl_uchar>(words[at - 16 + n] ^ last[n]));
  }
  std::vector<cl_uchar> rows(words.size());
  for (std::size_t n = 0; n < words.size(); ++n) rows[n / 16 * 16 + n % 4 * 4 + n % 16 / 4] = words[n];
  return rows;
}

void encryptBlock(cl_uchar* block, const cl_uchar* keys, const Boxes& boxes, cl_uint rounds) {
  for (int n = 0; n < 16; ++n) block[n] ^= keys[n];
  for (cl_uint round = 1; round <= rounds; ++round) {
    cl_uchar moved[16], mixed[16];
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column)
        moved[row * 4 + column] = boxes.forward[block[row * 4 + (column + row) % 4]];
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column)
        mixed[row * 4 + column] =
            static_cast<cl_uchar>(times(moved[row * 4 + column], 2) ^ times(moved[(row + 1) % 4 * 4 + column], 3) ^
                                  moved[(row + 2) % 4 * 4 + column] ^ moved[(row + 3) % 4 * 4 + column]);
    for (int n = 0; n < 16; ++n)
      block[n] = static_cast<cl_uchar>((round == rounds ? moved : mixed)[n] ^ keys[round * 16 + n]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint width = sample.size(256), height = width, rounds = 10;
  const std::size_t bytes = static_cast<std::size_t>(width) * height;
  sdk::Random random;
  const Boxes boxes;
  std::vector<cl_uchar> key(16), plain(bytes), secret(bytes), back(bytes);
  for (std::size_t n = 0; n < key.size(); ++n) key[n] = static_cast<cl_uchar>(random.below(256));
  for (std::size_t n = 0; n < bytes; ++n) plain[n] = static_cast<cl_uchar>(random.below(256));
  std::vector<cl_uchar> keys = expandKey(key, boxes, rounds), forward(boxes.forward), inverse(boxes.inverse);
  const cl_mem in = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, &plain[0]);
  const cl_mem out = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes, &secret[0]);
  const cl_mem again = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes, &back[0]);
  const cl_mem keyBuffer = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, keys.size(), &keys[0]);
  const cl_mem box = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 256, &forward[0]);
  const cl_mem inverseBox = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 256, &inverse[0]);
  const sdk::Size global(width / 4, height), local(1, 4);
  sdk::Kernel encrypt(sample, "AESEncrypt"), decrypt(sample, "AESDecrypt");
  for (int n = 0; n < sample.iterations; ++n) {
    encrypt.argument(out).argument(in).argument(keyBuffer).argument(box).local(16).local(16);
    encrypt.argument(width).argument(rounds).run(global, local);
    decrypt.argument(again).argument(out).argument(keyBuffer).argument(inverseBox).local(16).local(16);
    decrypt.argument(width).argument(rounds).run(global, local);
    sample.read(out, &secret[0], bytes);
    sample.read(again, &back[0], bytes);
  }
  std::vector<cl_uchar> expected(plain);
  for (std::size_t n = 0; n < bytes; n += 16) encryptBlock(&expected[n], &keys[0], boxes, rounds);
  return sample.verdict(sdk::same(secret, expected) && sdk::same(back, plain));
}

// Shortest ways between all nodes of a graph: hundreds of launches that read and write the same buffer.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  sdk::Kernel kernel(sample, "floydWarshallPass");
  // A group has a work-item for every node.
  const cl_uint nodes = static_cast<cl_uint>(kernel.fit(sample.size(256)));
  const std::size_t count = static_cast<std::size_t>(nodes) * nodes, bytes = count * sizeof(cl_uint);
  std::vector<cl_uint> distances(count), ways(count);
  sdk::Random random;
  for (cl_uint y = 0; y < nodes; ++y)
    for (cl_uint x = 0; x < nodes; ++x) {
      distances[y * nodes + x] = x == y ? 0 : 1 + random.below(200);
      ways[y * nodes + x] = x == y ? x : y;
    }
  std::vector<cl_uint> expected(distances), through(ways);
  const cl_mem distance = sample.buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, &distances[0]);
  const cl_mem way = sample.buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, &ways[0]);
  for (cl_uint pass = 0; pass < nodes; ++pass)
    kernel.argument(distance).argument(way).argument(nodes).argument(pass).run(nodes * nodes, nodes);
  sample.read(distance, &distances[0], bytes);
  sample.read(way, &ways[0], bytes);
  for (cl_uint k = 0; k < nodes; ++k)
    for (cl_uint y = 0; y < nodes; ++y)
      for (cl_uint x = 0; x < nodes; ++x) {
        const cl_uint around = expected[y * nodes + k] + expected[k * nodes + x];
        if (around < expected[y * nodes + x]) {
          expected[y * nodes + x] = around;
          through[y * nodes + x] = k;
        }
      }
  return sample.verdict(sdk::same(distances, expected) && sdk::same(ways, through));
}

/* Writes the machine code of a legacy file as OpenCL C, through the C interface.
 *
 *   lift IN OUT.cl
 *
 * Says of each kernel what became of it. Ends with 0 when every kernel is in the source. */
#include <stdio.h>

#include <amdcompat/amdcompat.h>

int main(int argc, char** argv) {
  static const char* const kOutcomes[] = {"refused", "lifted", "lifted and proved"};
  if (argc != 3) {
    fprintf(stderr, "usage: lift IN OUT.cl\n");
    return 2;
  }
  amdcompat_file* file = NULL;
  amdcompat_lifted* lifted = NULL;
  amdcompat_status status = amdcompat_open_path(argv[1], 0, &file);
  if (status == AMDCOMPAT_OK) {
    amdcompat_lift_options options = {.size = sizeof options, .flags = AMDCOMPAT_LIFT_ANNOTATE};
    status = amdcompat_lift(file, &options, &lifted);
  }
  for (size_t i = 0; i < amdcompat_lifted_kernel_count(lifted); ++i) {
    amdcompat_lift_outcome kernel = {.size = sizeof kernel};
    if (amdcompat_lifted_kernel(lifted, i, &kernel) != AMDCOMPAT_OK) continue;
    printf("%s: %s", kernel.name, kOutcomes[kernel.outcome]);
    if (kernel.reason != 0) printf(" (AC%u: %s)", (unsigned)kernel.reason, kernel.reason_text);
    printf("\n");
  }
  size_t size = 0;
  const char* const source = amdcompat_lifted_source(lifted, &size);
  if (size != 0) {
    FILE* const out = fopen(argv[2], "w");
    if (out == NULL || fwrite(source, 1, size, out) != size || fclose(out) != 0) {
      perror(argv[2]);
      status = AMDCOMPAT_REFUSED;
    }
  }
  amdcompat_lifted_free(lifted);
  amdcompat_file_free(file);
  return status == AMDCOMPAT_OK ? 0 : 1;
}

/* Converts a legacy file to a code object of today and proves what it can, through the C interface.
 *
 *   convert IN OUT
 *
 * Writes the object to OUT and says of each kernel what became of it. Ends with 0 when every kernel is in it and
 * proved. */
#include <stdio.h>

#include <amdcompat/amdcompat.h>

static void show(const amdcompat_diagnostics* list) {
  for (size_t i = 0; i < amdcompat_diagnostics_count(list); ++i) {
    amdcompat_diagnostic found = {.size = sizeof found};
    if (amdcompat_diagnostics_get(list, i, &found) == AMDCOMPAT_OK && found.severity == AMDCOMPAT_ERROR)
      fprintf(stderr, "AC%u: %s\n", (unsigned)found.code, found.message);
  }
}

int main(int argc, char** argv) {
  static const char* const kOutcomes[] = {"refused", "described only", "converted", "converted and proved",
                                          "runs as it is"};
  static const char* const kProofs[] = {"not run", "proved", "unproved", "not executable here", "differs"};
  if (argc != 3) {
    fprintf(stderr, "usage: convert IN OUT\n");
    return 2;
  }
  amdcompat_file* file = NULL;
  amdcompat_conversion* conversion = NULL;
  amdcompat_status status = amdcompat_open_path(argv[1], 0, &file);
  if (status != AMDCOMPAT_OK) show(amdcompat_file_diagnostics(file));
  if (status == AMDCOMPAT_OK) {
    amdcompat_convert_options options = {.size = sizeof options,
                                         .layout = AMDCOMPAT_LAYOUT_IN_PLACE,
                                         .flags = AMDCOMPAT_CONVERT_PROVE};
    status = amdcompat_convert(file, &options, &conversion);
    if (status != AMDCOMPAT_OK) show(amdcompat_conversion_diagnostics(conversion));
  }
  for (size_t i = 0; i < amdcompat_conversion_kernel_count(conversion); ++i) {
    amdcompat_kernel_outcome kernel = {.size = sizeof kernel};
    if (amdcompat_conversion_kernel(conversion, i, &kernel) != AMDCOMPAT_OK) continue;
    printf("%s: %s", kernel.name, kOutcomes[kernel.outcome]);
    if (kernel.reason != 0) printf(" (AC%u)", (unsigned)kernel.reason);
    if (kernel.outcome == AMDCOMPAT_OUTCOME_CONVERTED) printf(", %s", kProofs[kernel.proof]);
    printf("\n");
  }
  size_t size = 0;
  const void* const object = amdcompat_conversion_object(conversion, &size);
  if (object != NULL) {
    FILE* const out = fopen(argv[2], "wb");
    if (out == NULL || fwrite(object, 1, size, out) != size || fclose(out) != 0) {
      perror(argv[2]);
      status = AMDCOMPAT_REFUSED;
    }
  }
  amdcompat_conversion_free(conversion);
  amdcompat_file_free(file);
  return status == AMDCOMPAT_OK ? 0 : 1;
}

/* Runs inputs through the harnesses once, for compilers without libFuzzer: replay FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **files) {
  for (int n = 1; n < count; n++) {
    FILE *file = fopen(files[n], "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
      perror(files[n]);
      return 2;
    }
    size_t size = (size_t)ftell(file);
    uint8_t *data = malloc(size ? size : 1); /* of exactly this size: a read beyond it is seen */
    rewind(file);
    if (!data || fread(data, 1, size, file) != size) {
      perror(files[n]);
      return 2;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    printf("%s\n", files[n]);
  }
  return 0;
}

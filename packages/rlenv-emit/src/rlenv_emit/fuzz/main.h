// A program of its own around an emitted function: reads all arguments from a file, writes all results into another.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  if (count != 4) return 2;
  const long batch = atol(words[3]);
  FILE* from = fopen(words[1], "rb");
  FILE* to = fopen(words[2], "wb");
  if (!from || !to) return 3;
  const void* in[INPUTS + 1];
  void* out[OUTPUTS + 1];
  for (int i = 0; i < INPUTS; i++) { // exactly as large as they are, so that one byte too many is seen
    const long size = inputs[i].size * inputs[i].bytes * (inputs[i].varying ? batch : 1);
    void* memory = malloc(size);
    if (fread(memory, 1, size, from) != (size_t)size) return 4;
    in[i] = memory;
  }
  for (int i = 0; i < OUTPUTS; i++) out[i] = malloc(outputs[i].size * outputs[i].bytes * batch);
  if (!rlenv_run(in, out, batch)) return 5;
  for (int i = 0; i < OUTPUTS; i++) {
    const size_t size = outputs[i].size * outputs[i].bytes * batch;
    if (fwrite(out[i], 1, size, to) != size) return 6;
  }
  for (int i = 0; i < INPUTS; i++) free((void*)in[i]);
  for (int i = 0; i < OUTPUTS; i++) free(out[i]);
  return fclose(from) || fclose(to);
}

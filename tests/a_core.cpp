#include "/work/main/tests/core/diagnostic_test.cpp"
#include "/work/main/tests/core/gpu_test.cpp"
#include "/work/main/tests/core/program_test.cpp"

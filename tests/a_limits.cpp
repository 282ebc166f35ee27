#include "/work/main/tests/limits/allocations_test.cpp"
#include "/work/main/tests/limits/limits_test.cpp"
#include "/work/main/tests/limits/no_exception_test.cpp"

#include "/work/main/tests/capi/c_api_test.cpp"
#include "/work/main/tests/capi/conversion_test.cpp"
#include "/work/main/tests/capi/lift_test.cpp"
#include "/work/main/tests/capi/memory_test.cpp"

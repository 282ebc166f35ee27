#include "/work/main/tests/prove/pipeline_test.cpp"
#include "/work/main/tests/prove/real_codes_test.cpp"
#include "/work/main/tests/prove/ways_test.cpp"
#include "/work/main/tests/prove/written_code_test.cpp"

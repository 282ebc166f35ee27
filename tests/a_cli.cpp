#include "/work/main/tests/cli/doctor_test.cpp"
#include "/work/main/tests/cli/verbs_test.cpp"

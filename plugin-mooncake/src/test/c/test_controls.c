/* Rows about the controls that only the stand-in has. */
#define _GNU_SOURCE
#include "standin_test.h"

const struct row rows_of_controls[] = {
    {NULL, NULL},
};

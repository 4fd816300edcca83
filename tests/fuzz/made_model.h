/* made_model.h - models that encode-new makes. */
#ifndef TESTS_FUZZ_MADE_MODEL_H
#define TESTS_FUZZ_MADE_MODEL_H

/* What a command line of encode-new makes, whatever it says of -o and of files to read: the
 * descriptor of a weight file without a name. -1 where it is refused, or asks for more than some
 * thousand numbers. */
int made_model(int argc, char **argv);

#endif

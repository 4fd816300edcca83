/* made_model.h - models that encode-new makes. */
#ifndef TESTS_FUZZ_MADE_MODEL_H
#define TESTS_FUZZ_MADE_MODEL_H

/* Makes the model of a command line of encode-new, whose -o and files to read are ignored. Returns
 * the descriptor of a weight file without a name; -1 if the command line is refused or asks for
 * more than some thousand numbers. */
int made_model(int argc, char **argv);

#endif

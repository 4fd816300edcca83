/* weight_surgery.h - changes a weight file in memory and makes its checksums right again, so that
 * the reader's checks after the checksums are tested. Offsets are those of weights/FORMAT.md. */
#ifndef TESTS_WEIGHT_SURGERY_H
#define TESTS_WEIGHT_SURGERY_H

#include "engine/file/weight_file.h" /* get_u32, put_u64 and so on */

enum { HEADER = 64, SECTION = 32, TENSOR = 80 };

/* cap bytes, aligned to 64, of which len are in use. */
struct patient {
    uint8_t *data;
    size_t len, cap;
};

/* The bytes of a file; a copy with room for `spare` more bytes, released after the test. */
struct patient patient_read(const char *path);
struct patient patient_copy(const struct patient *original, size_t spare);

/* Returns the section table's entry of a section; NULL if no section has this tag. */
uint8_t *section_entry(const struct patient *patient, const char *tag);
uint8_t *section_data(const struct patient *patient, const char *tag);
size_t section_len(const struct patient *patient, const char *tag);

/* Returns the directory's entry of a tensor; NULL if no tensor has this name. */
uint8_t *tensor_entry(const struct patient *patient, const char *name);

/* Writes the checksums of a section, of the table and of the header, or of the last two or one. */
void heal_section(struct patient *patient, const char *tag);
void heal_table(struct patient *patient);
void heal_header(struct patient *patient);

/* Puts a number into a tensor of f32 of a file: the index-th that is stored. Heals what opening
 * reads. */
void put_number(const char *path, const char *tensor, size_t index, float number);

/* Drops a section from the table. */
void remove_section(struct patient *patient, const char *tag);

/* Gives a section other bytes, which are put at the end of the file, and heals. */
void replace_section(struct patient *patient, const char *tag, const void *data, size_t len);

/* Sets a key of a settings section to a value, or adds the key, and heals. */
void replace_setting(struct patient *patient, const char *tag, const char *key, const char *value,
                     size_t value_len);

#endif

/* Declarations as the library of C has them. */
extern size_t store_length (const char *__s)
     __THROW __attribute_pure__ __nonnull ((1));
extern int store_open (const char *__file, int __oflag, ...) __nonnull ((1));
extern char *store_copy (const char *__s) __THROW __attribute_malloc__ __nonnull ((1)) __wur;
extern int store_close (int __fd);
typedef signed int int32_t;
typedef unsigned char uint8_t, *bytes;

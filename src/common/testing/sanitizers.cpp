// What AddressSanitizer's leak check shall not hold against the tests.
#ifdef __SANITIZE_ADDRESS__

extern "C" const char* __lsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
    // glibc keeps what setlocale() made of LOCPATH.
    return "leak:argz_add_sep\n";
}

#endif

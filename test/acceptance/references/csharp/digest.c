// What .NET Core 3.1 asks of OpenSSL 1 for a digest, by OpenSSL 3, which it cannot load itself.
#include <openssl/evp.h>
#include <stdint.h>

int32_t CryptoNative_EnsureOpenSslInitialized(void) { return 0; }
void CryptoNative_ErrClearError(void) {}
const EVP_MD *CryptoNative_EvpSha1(void) { return EVP_sha1(); }
const EVP_MD *CryptoNative_EvpSha256(void) { return EVP_sha256(); }
int32_t CryptoNative_EvpMdSize(const EVP_MD *md) { return EVP_MD_get_size(md); }
int32_t CryptoNative_GetMaxMdSize(void) { return EVP_MAX_MD_SIZE; }
void CryptoNative_EvpMdCtxDestroy(EVP_MD_CTX *ctx) { EVP_MD_CTX_free(ctx); }

EVP_MD_CTX *CryptoNative_EvpMdCtxCreate(const EVP_MD *md) {
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	EVP_DigestInit_ex(ctx, md, NULL);
	return ctx;
}

int32_t CryptoNative_EvpDigestReset(EVP_MD_CTX *ctx, const EVP_MD *md) { return EVP_DigestInit_ex(ctx, md, NULL); }
int32_t CryptoNative_EvpDigestUpdate(EVP_MD_CTX *ctx, const void *d, int32_t n) { return EVP_DigestUpdate(ctx, d, n); }
int32_t CryptoNative_EvpDigestFinalEx(EVP_MD_CTX *ctx, uint8_t *md, uint32_t *s) { return EVP_DigestFinal_ex(ctx, md, s); }

int32_t CryptoNative_EvpDigestOneShot(const EVP_MD *type, const void *d, int32_t n, uint8_t *md, uint32_t *size) {
	return EVP_Digest(d, n, md, size, type, NULL);
}

/** Whose key it is: an organization's, or the company's, which acts for all organizations. */
export type ApiKeyKind = 'organization' | 'platform';

/** An API key as a request has it. Only the table knows whether there is such a key. */
export interface PresentedKey {
  kind: ApiKeyKind;
  id: string;
  /** SHA-256 of the secret, in base64url. */
  digest: string;
}

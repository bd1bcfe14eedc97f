import { type ErrorCode, errorCodes, errorKinds } from '../../lib/errors/errors.ts';

const row = (code: ErrorCode): string => {
  const { status, message } = errorKinds[code];
  return `| \`${code}\` | ${status} | ${message} |`;
};

/** `docs/errors.md`: every error code, and how a program reads it. */
export const errorsPage = `# Errors

Made by \`npm run openapi\` from \`lib/errors/errors.ts\`.

A program relies on the code. The message is for people, and may change.

## Codes

| code | status | message |
|---|---|---|
${errorCodes.map(row).join('\n')}

## The body

Each answer that is not 2xx has this body, also where API Gateway made it:

\`\`\`json
{ "error": { "code": "invalid_request", "message": "…", "request_id": "…", "details": [{ "path": "email", "message": "must be an email address" }] } }
\`\`\`

- \`details\` is there where the error has some: at most 20, each with the field or parameter at fault.
  On \`duplicate_lead\`, \`details[0].lead_id\` is the lead that has the contact. On \`insufficient_stars\`,
  \`details[0].available_stars\` says how many stars could be spent then. Where \`after\` is beyond the feed,
  \`details[0]\` has its \`last_sequence\` and \`feed_id\`.
- \`forbidden\` says that the caller is not a member of the organization, or that the role does not allow it. An
  organization that there is not looks the same.
- Without an \`Idempotency-Key\`, \`internal\`, \`unavailable\` and \`timeout\` leave open whether the request was carried out.
- \`request_id\`, also in \`X-Request-Id\`, is what to quote to whoever runs the service.
- \`rate_limited\` and \`unavailable\` come with \`Retry-After\`, in seconds.
- [openapi.json](openapi.json) says which codes each operation may answer.
`;

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
  \`details[0].available_stars\` says how many stars could be spent then; on \`spend_limit_reached\`,
  \`details[0].spend_limit\` is the tightest limit. Where \`after\` is beyond the feed,
  \`details[0]\` has its \`last_sequence\` and \`feed_id\`.
- \`invalid_request\` names a field or parameter that is not known, and the known one that is most like it, if one is:
  “is not known here; perhaps owner_id is meant”.
- \`unauthenticated\`: \`details[0]\` says what the one \`Authorization\` header must be, \`Bearer\` with an id_token or an API
  key, or what is wrong with the key.
- \`forbidden\`: \`details[0]\` names the permission that the role lacks, as “needs the permission leads:write, which the role
  viewer does not have”. Else the caller is not a member of the organization: one that there is not looks the same.
- \`method_not_allowed\`: the address is right. \`Allow\` and \`details[0]\` name the methods that it has. An address that is wrong
  is \`not_found\`, whatever the method.
- Without an \`Idempotency-Key\`, \`internal\`, \`unavailable\` and \`timeout\` leave open whether the request was carried out.
- \`request_id\`, also in \`X-Request-Id\`, is what to quote to whoever runs the service.
- \`rate_limited\` and \`unavailable\` come with \`Retry-After\`, in seconds.
- [openapi.json](openapi.json) says which codes each operation may answer.
`;

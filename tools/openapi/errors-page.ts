import { type ErrorCode, errorCodes, errorKinds } from '../../lib/errors/errors.ts';
import {
  type AnyInternalOperation,
  errorsOfInternal,
} from '../../lib/operations/kinds/internal-operation.ts';

/** `docs/errors.md`: every error code, and how a program reads it. */
export const errorsPage = (internal: readonly AnyInternalOperation[]): string => `# Errors

Made by \`npm run openapi\` from \`lib/errors/errors.ts\`.

A program relies on the code. The message is for people, and may change.

## Codes

| code | status | message |
|---|---|---|
${errorCodes.map(row).join('\n')}

## From the API

Each answer that is not 2xx has this body, also where API Gateway made it:

\`\`\`json
{ "error": { "code": "invalid_request", "message": "…", "request_id": "…", "details": [{ "path": "email", "message": "must be an email address" }] } }
\`\`\`

- \`details\` is there where the error has some: at most 20, each with the field or parameter at fault.
  On \`duplicate_lead\`, \`details[0].lead_id\` is the lead that has the contact. On \`insufficient_stars\`,
  \`details[0].available_stars\` says how many stars could be spent then.
- \`forbidden\` says that the caller is not a member of the organization, or that the role does not allow it. An
  organization that there is not looks the same.
- \`request_id\`, also in \`X-Request-Id\`, is what to quote to whoever runs the service.
- \`rate_limited\` and \`unavailable\` come with \`Retry-After\`, in seconds.
- [openapi.json](openapi.json) says which codes each operation may answer.

## From functions without a route

Lambda answers an invocation that failed with status 200, \`FunctionError\`, and this payload. \`errorType\`
is the code, and \`errorMessage\` says what is wrong, field by field:

\`\`\`json
{ "errorType": "write_conflict", "errorMessage": "${errorKinds.write_conflict.message}" }
\`\`\`

\`\`\`ts
const { FunctionError, Payload } = await lambda.send(
  new InvokeCommand({ FunctionName: 'LeadsAndStars-putPlan', Payload: JSON.stringify(input) }),
);
const answer = JSON.parse(Payload?.transformToString() ?? 'null');
if (FunctionError) throw new Error(answer.errorType);
\`\`\`

| function | may fail with |
|---|---|
${internal.map(functionRow).join('\n')}

An \`errorType\` that is not here is Lambda's own, such as \`Sandbox.Timedout\`: then it is open whether the
function did its work. All of them may be repeated: a repeat with the same \`event_id\` or \`organization_id\`
has its effect once.
`;

const row = (code: ErrorCode): string => {
  const { status, message } = errorKinds[code];
  return `| \`${code}\` | ${status} | ${message} |`;
};

const functionRow = (operation: AnyInternalOperation): string =>
  `| \`${operation.id}\` | ${errorsOfInternal(operation)
    .map((code) => `\`${code}\``)
    .join(', ')} |`;

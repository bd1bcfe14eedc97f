import { randomUUID } from 'node:crypto';
import {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
  InitiateAuthCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { NotTriedError } from './check.ts';
import type { CleanUp } from './clean-up.ts';

/** Makes a user in a user pool, who is removed at the end, and logs in. Returns the id_token. */
export const logInAsNew = async (
  { userPool, client, runId }: { userPool: string; client: string; runId: string },
  cleanUp: CleanUp,
): Promise<string> => {
  const pool = new CognitoIdentityProviderClient();
  const user = { UserPoolId: userPool, Username: `smoke-${runId}@example.com` };
  const Password = `aA1!${randomUUID()}`;
  cleanUp.add(`the user ${user.Username}`, () =>
    pool.send(new AdminDeleteUserCommand(user)).catch((error) => {
      if (error.name !== 'UserNotFoundException') throw error;
    }),
  );
  await pool.send(new AdminCreateUserCommand({ ...user, MessageAction: 'SUPPRESS' }));
  await pool.send(new AdminSetUserPasswordCommand({ ...user, Password, Permanent: true }));
  const { AuthenticationResult, ChallengeName } = await pool.send(
    new InitiateAuthCommand({
      AuthFlow: 'USER_PASSWORD_AUTH',
      ClientId: client,
      AuthParameters: { USERNAME: user.Username, PASSWORD: Password },
    }),
  );
  if (AuthenticationResult?.IdToken) return AuthenticationResult.IdToken;
  throw new NotTriedError(
    `The user pool asks for ${ChallengeName} after the password: give an id_token in LEADS_TOKEN.`,
  );
};

import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { FeaturePlan, Mfa, UserPool } from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import type { StackOptions } from './options.ts';

export interface Issuer {
  issuer: string;
  audience: string;
  jwksUri: string;
}

/** The OIDC issuer of the id_tokens: your own, where the options name an issuer, else a user pool. */
export const createIssuer = (
  scope: Construct,
  { issuer, audience, jwks_uri: ownJwksUri }: StackOptions,
): Issuer => {
  if (!issuer || !audience) return createUserPool(scope);
  const jwksUri = ownJwksUri ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  return { issuer, audience, jwksUri };
};

const createUserPool = (scope: Construct): Issuer => {
  const pool = new UserPool(scope, 'Users', {
    signInAliases: { email: true },
    passwordPolicy: {
      minLength: 12,
      requireLowercase: true,
      requireUppercase: true,
      requireDigits: true,
      requireSymbols: true,
    },
    mfa: Mfa.OPTIONAL,
    mfaSecondFactor: { otp: true, sms: false },
    featurePlan: FeaturePlan.ESSENTIALS,
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  const client = pool.addClient('Client', {
    authFlows: { userSrp: true, userPassword: true },
    // The pool has no sign-in page. By default the CDK would allow such a page, with tokens in addresses of example.com.
    disableOAuth: true,
    preventUserExistenceErrors: true,
    idTokenValidity: Duration.hours(1),
  });
  Validations.of(pool).acknowledge(
    {
      id: 'AwsSolutions-COG2',
      reason: 'MFA is each user’s choice; a stack that wants it for all sets it.',
    },
    {
      id: 'AwsSolutions-COG8',
      reason: 'The Plus plan costs for each user; who needs its threat protection turns it on.',
    },
  );
  new CfnOutput(scope, 'UserPoolId', { value: pool.userPoolId });
  const issuer = `https://cognito-idp.${Stack.of(scope).region}.amazonaws.com/${pool.userPoolId}`;
  return {
    issuer,
    audience: client.userPoolClientId,
    jwksUri: `${issuer}/.well-known/jwks.json`,
  };
};

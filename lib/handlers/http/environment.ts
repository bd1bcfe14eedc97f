import { Memory } from '../../admission/memory.ts';
import { openTable, type TableClient } from '../../table/client.ts';
import { readStoredKeys } from '../../tokens/stored-keys.ts';
import { TokenVerifier } from '../../tokens/verifier.ts';

/**
 * What a function has for all its requests. Lambda loads its code before there is a request: so the issuer's keys are
 * read meanwhile. Elsewhere definitions are loaded without the environment's variables, and all waits for a request.
 */
export const openEnvironment = () => {
  const table = memoize(openTable);
  const verifier = memoize(() => openVerifier(table));
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) verifier().prepare();
  return { table, verifier, memory: new Memory() };
};

const openVerifier = (table: () => TableClient): TokenVerifier => {
  const { ISSUER: issuer = '', AUDIENCE: audience = '', JWKS_URI: jwksUri = '' } = process.env;
  const readKeys = async () => readStoredKeys(table(), jwksUri);
  return new TokenVerifier({ issuer, audience, jwksUri }, readKeys);
};

const memoize = <T extends TableClient | TokenVerifier>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

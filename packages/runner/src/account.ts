/** The account and region that everything here claims to be in. */
export const region = 'us-east-1';
export const account = '000000000000';

/** Nothing here checks a signature; the SDK's clients want to sign all the same. */
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** A table’s name in IAM’s statements. */
export const tableArn = (name: string): string =>
  `arn:aws:dynamodb:${region}:${account}:table/${name}`;

/** A bus’s name in IAM’s statements. */
export const busArn = (name: string): string =>
  `arn:aws:events:${region}:${account}:event-bus/${name}`;

/** A queue’s address, by which requests name it. */
export const queueUrl = (name: string): string =>
  `https://sqs.${region}.amazonaws.com/${account}/${name}`;

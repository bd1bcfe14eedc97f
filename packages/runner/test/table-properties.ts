import type { TableProperties } from '@leads-and-stars/runner';

const index = (name: string) => ({
  IndexName: name,
  KeySchema: [
    { AttributeName: name, KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  Projection: { ProjectionType: 'ALL' },
});

/** A table for tests of the engine alone: with a stream, and an index for each of two attributes. */
export const aTable = {
  TableName: 'a-table',
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: ['pk', 'sk', 'color', 'shape'].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S',
  })),
  GlobalSecondaryIndexes: [index('color'), index('shape')],
  StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
} satisfies TableProperties;

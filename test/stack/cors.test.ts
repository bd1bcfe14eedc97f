import { describe, expect, test } from 'vitest';
import { synthesized } from './synthesized.ts';

describe('a deployment', () => {
  const templateWith = async (cors_origins: string[]): Promise<string> =>
    JSON.stringify(synthesized({ cors_origins }));

  test('has nothing of it unless origins are configured', async () => {
    const without = await templateWith([]);
    for (const part of ['Access-Control', 'CORS_ORIGINS', '"options"']) {
      expect(without).not.toContain(part);
    }
    const configured = await templateWith(['https://a.example']);
    for (const part of ['Access-Control', 'CORS_ORIGINS', '"options"']) {
      expect(configured).toContain(part);
    }
  });

  test.each(['a.example', 'https://a.example/', 'https://A.example', '*', 'https://a.example,b'])(
    'is not made with %j, which is not an origin',
    async (origin) => {
      await expect(templateWith(['https://a.example', origin])).rejects.toThrow(/is not an origin/);
    },
  );
});

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import fastify from 'fastify';
import {
  contentSecurityPolicy,
  pageDocument,
  referenceConfiguration,
} from '../service/reference-page.ts';

const docs = join(import.meta.dirname, '../../docs');

/** Writes the reference as files that any web server can host: page, script and document, and for models `llms.txt`. */
export const buildSite = async (directory: string): Promise<void> => {
  const server = fastify();
  await server.register(scalar, {
    routePrefix: '/docs',
    configuration: { ...referenceConfiguration, url: 'openapi.json' },
  });
  const page = await server.inject('/docs/');
  const script = await server.inject('/docs/js/scalar.js');
  await server.close();
  // The API is wherever it is deployed.
  const policy = contentSecurityPolicy("'self' https: http://localhost:*");
  const meta = `<meta http-equiv="content-security-policy" content="${policy}" />`;
  await mkdir(join(directory, 'js'), { recursive: true });
  await writeFile(
    join(directory, 'index.html'),
    page.body.replace('<head>', `<head>\n    ${meta}`),
  );
  await writeFile(join(directory, 'js/scalar.js'), script.body);
  const document = await readFile(join(docs, 'openapi.json'), 'utf8');
  const ofPage = pageDocument(document);
  // Whoever hosts the page has a deployment.
  ofPage.servers.reverse();
  await writeFile(join(directory, 'openapi.json'), JSON.stringify(ofPage, null, 2));
  await copyForModels(directory);
};

/** The list of pages for models (https://llmstxt.org), at the root of the site, and the pages that it names. */
const copyForModels = async (directory: string): Promise<void> => {
  const text = await readFile(join(docs, 'llms.txt'), 'utf8');
  const pages = [...text.matchAll(/\((\w+\.md)\)/g)].map(([, page = '']) => page);
  await Promise.all(
    ['llms.txt', ...pages].map((file) => copyFile(join(docs, file), join(directory, file))),
  );
};

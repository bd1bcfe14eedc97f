/** Variables that GitHub sets for each step of a workflow, and `GITHUB_TOKEN`, which a workflow hands on. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Asks GitHub's REST API for something of the repository: `path` is what follows its name. Throws where GitHub refuses.
 * Nothing here needs a package, so no workflow has to install any for it.
 */
export const askGitHub = async <Answer>(
  { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN }: Variables,
  path: string,
  sent?: object,
): Promise<Answer> => {
  const response = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/${path}`, {
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${GITHUB_TOKEN}`,
      'x-github-api-version': '2022-11-28',
    },
    ...(sent && { method: 'POST', body: JSON.stringify(sent) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`GitHub answered ${response.status} to ${path}: ${text}`);
  return JSON.parse(text);
};

const pageSize = 100;

/** All things of a list, page by page for as long as they are asked for. */
export async function* listGitHub<Thing>(
  variables: Variables,
  path: string,
): AsyncGenerator<Thing> {
  for (let page = 1; ; page++) {
    const query = `${path.includes('?') ? '&' : '?'}per_page=${pageSize}&page=${page}`;
    const things = await askGitHub<Thing[]>(variables, `${path}${query}`);
    yield* things;
    if (things.length < pageSize) return;
  }
}

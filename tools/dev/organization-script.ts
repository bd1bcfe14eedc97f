/** Where the login notes which organization was chosen: a key of the browser's local storage. */
const chosen = 'organization';

/** The reference page's script, as Scalar writes it and as it is here. */
const ownScript = [
  ['Scalar.createApiReference(', 'const reference = Scalar.createApiReference('],
  ['"url": "openapi.json"', `"url": documentOf(localStorage.getItem('${chosen}'))`],
  [
    '</head>',
    `<script>
      const documentOf = (organization) =>
        'openapi.json?organization=' + encodeURIComponent(organization ?? '');
    </script>
  </head>`,
  ],
  [
    '</body>',
    `<script>
      const tokens = () =>
        String(Object.values(localStorage).join().match(/"x-scalar-secret-token":"[^"]+"/g));
      addEventListener('storage', ({ key, newValue }) => {
        if (key !== '${chosen}') return;
        // A new document would end a login that is under way.
        const before = tokens();
        const waiting = setInterval(() => {
          if (tokens() === before) return;
          clearInterval(waiting);
          reference.updateConfiguration({
            ...reference.getConfiguration(),
            url: documentOf(newValue),
          });
        }, 100);
      });
    </script>
  </body>`,
  ],
] as const;

/**
 * Has the reference page show the organization that was chosen at the last login: when it opens, and as soon
 * as there is another login. The login is a window of its own, and the storage of both is the same. Throws
 * where Scalar's page is not as expected.
 */
export const showingOrganization = (page: string): string =>
  ownScript.reduce((text, [theirs, ours]) => {
    if (!text.includes(theirs)) throw new Error(`The reference page has no ${theirs}`);
    return text.replace(theirs, () => ours);
  }, page);

/** On the login page: notes the organization of the button that was pressed. */
export const notingOrganization = `<script>
  addEventListener('submit', ({ submitter }) => {
    const { organization } = submitter.dataset;
    if (organization) localStorage.setItem('${chosen}', organization);
  });
</script>`;

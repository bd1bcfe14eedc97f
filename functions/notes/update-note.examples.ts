import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'another text',
    async request({ lead, call }) {
      const { id: lead_id } = await lead();
      const body = { text: 'Wants a call on Monday.' };
      const note = await call('createNote', { path: { lead_id }, body });
      return {
        path: { lead_id, note_id: note.id },
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { text: 'Wants a call on Tuesday.' },
      };
    },
    docs: true,
    faults: true,
    costs: [3, 8, 2],
  },
];

import { alikeText, visibleText } from './values/plain-text.ts';

/** The cells of a row, and the line that they begin in. */
export interface Cells {
  line: number;
  cells: string[];
  /** Whether an empty line is before it. */
  isApart: boolean;
}

/** Rows of a footer at most: of more below an empty line, each has a name alone. */
const mostRows = 20;

// Remarks of reports in the languages of most exports, without accents and upper case.
const remark = anyOf(
  /copyright (?:\(c\)|©|\d{4})|©|confidential information\b/,
  /(?:report |relatorio |informe )?(?:(?:generated|exported|printed|created|run|filtered|downloaded|extracted|processed|produced) (?:by|on|at|from)|(?:gerado|generado|exportado|impresso|impreso|emitido|baixado|descargado|extraido|criado|creado) (?:por|em|el|en)|(?:genere|exporte|imprime|telecharge|extrait|cree) (?:par|le)|(?:erstellt|exportiert|gedruckt|heruntergeladen) (?:von|am))\b/,
  /(?:report|document|relatorio|documento|informe) (?:generated|created|exported|printed|gerado|emitido|generado)\b|gerado automaticamente/,
  /(?:last updated|(?:data )?as of|ultima (?:atualizacao|actualizacion))\b.*\d|powered by\b/,
  /(?:page|pagina|seite) \d+ ?(?:of|de|von|di|\/) ?\d|(?:showing|mostrando|exibindo) \d+ /,
  /\d+ (?:records|rows|leads|contacts|results|registros|linhas|contatos|resultados)(?: selected| found| encontrados)?$/,
  /\W*(?:end of (?:report|file)|fim do relatorio|fin del informe)\b|\W+(?:end|fim|fin|ende)\W*$/,
);
const sum = anyOf(
  /(?:(?:grand |sub ?)?totals?|totale|totales|totaux|totaal|summe|gesamt|gesamtsumme|soma|suma|somme)(?: geral| general| total)?(?: (?:of |de )?(?:records|rows|leads|contacts|deals|registros|linhas|filas))?\s*(?:[:=(\d].*)?$/,
  /(?:sum|average|count|media|quantidade)(?: (?:of|de) .+)?\s*(?:[:=(\d].*)?$/,
  /(?:итого|всего|razem|łacznie|toplam|osszesen|celkem|yhteensa|totalt|i alt|合計|总计|合计|總計)\s*(?:[:=：(\d].*)?$/,
  /(?:end|eof|fim)$/,
);
const sureSum = /^(?:grand|sub)|^\w+ (?:geral|general)\b|\(/;
/** A line under a table. */
const line = /^[\s=_*~#.|–—-]*$/;
/** Nobody is called so: a note with a sign before it or in brackets, a word with what it is. */
const noName = /^[^\p{L}\p{N}@+"'“‘«(]|^\(.*\)$|^[\p{L}\p{M}º°. ]+: ?\S/u;

type Kind = 'person' | 'footer' | 'sum' | 'nameless' | 'alone';

const kindOf = ({ cells }: Cells, columnCount: number): Kind => {
  const place = cells.findIndex((cell) => cell.trim() !== '');
  const raw = cells[place] ?? '';
  const text = alikeText(raw);
  const others = cells.slice(place + 1).filter((cell) => cell.trim() !== '');
  if (cells.every((cell) => line.test(cell))) return 'footer';
  if (remark.test(text) && !others.some((cell) => cell.includes('@'))) return 'footer';
  if (sum.test(text) && others.every((cell) => /^[^@+]*\d[^@+]*$/.test(cell))) {
    return sureSum.test(text) ? 'footer' : 'sum';
  }
  if (others.length > 0) return 'person';
  const isContact = /@/.test(text) || /^[\d\s+().-]{7,}$/.test(text);
  if (place > 0 || columnCount === 1 || isContact) return 'person';
  return noName.test(visibleText(raw)) ? 'nameless' : 'alone';
};

/** Texts that begin with what one of these patterns has. */
function anyOf(...patterns: RegExp[]): RegExp {
  return new RegExp(`^(?:${patterns.map(({ source }) => source).join('|')})`, 'u');
}

/**
 * Tells the footer of a report from the rows of people. Remarks and sums are a footer wherever they are. A “Total” alone may be a
 * company, and a first cell alone a name: these are a footer at the end, the cell below an empty line if it is more than a word.
 */
export async function* tellingFooters<T>(
  rows: AsyncIterable<Cells>,
  columnCount: number,
  asPerson: (row: Cells) => T,
  asFooter: (row: Cells) => T,
): AsyncGenerator<T> {
  let open: { row: Cells; kind: Kind }[] = [];
  for await (const row of rows) {
    const kind = kindOf(row, columnCount);
    const isLong = row.cells.some((cell) => /\s|\d/.test(cell.trim()));
    const isOpen =
      kind === 'sum' ||
      kind === 'nameless' ||
      (kind === 'alone' && (open.length > 0 || (row.isApart && isLong)));
    if (kind === 'footer' || (isOpen && open.length < mostRows)) {
      open.push({ row, kind });
      continue;
    }
    yield* open.map((one) => (one.kind === 'footer' ? asFooter(one.row) : asPerson(one.row)));
    open = [];
    yield asPerson(row);
  }
  yield* open.map(({ row }) => asFooter(row));
}

// Whole PDF files with text, made here byte by byte: pages of lines, and one that asks for a password.

export interface TextPdfOptions {
  /** Makes a file that no empty password opens. */
  readonly encrypted?: boolean;
}

/** Each page is a list of lines; an empty line leaves a gap. */
export function textPdf(pages: readonly (readonly string[])[], { encrypted = false }: TextPdfOptions = {}): Buffer {
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((lines, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      streamOf(lines),
    ]),
  ];
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const secret = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${"ab".repeat(32)}> /U <${"cd".repeat(32)}> >> /ID [<00> <00>]`;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R ${encrypted ? secret : ""} >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(`${body}xref\n0 ${size}\n0000000000 65535 f \n${rows}${trailer}`, "latin1");
}

function streamOf(lines: readonly string[]): string {
  const shown = lines.map((line) => `(${line.replaceAll(/[\\()]/gu, "\\$&")}) Tj T*`).join("\n");
  const content = `BT /F1 12 Tf 14 TL 72 720 Td\n${shown}\nET`;
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

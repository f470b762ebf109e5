// A small PDF whose one page inflates to a large content.
import { deflateSync } from "node:zlib";

const line = "BT /F1 12 Tf 10 10 Td (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ET\n";

/** `megabytes`: of the page's content. The file has 1/350 of them. */
export function inflatingPdf(megabytes: number): Buffer {
  const content = deflateSync(line.repeat(Math.ceil((megabytes * 1e6) / line.length)), { level: 9 });
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content.toString("latin1")}\nendstream`,
  ];
  let body = "%PDF-1.4\n";
  const rows = objects.map((object, index) => {
    const row = `${String(body.length).padStart(10, "0")} 00000 n \n`;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return row;
  });
  const table = `xref\n0 6\n0000000000 65535 f \n${rows.join("")}`;
  return Buffer.from(`${body}${table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF`, "latin1");
}

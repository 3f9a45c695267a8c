package io.kvasir.cli.verify;

import io.kvasir.cli.verify.Finding.Outcome;
import io.kvasir.conformance.speed.SpeedReport;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * What a run found, as files: JUnit's XML for a build server, one HTML file for people.
 *
 * @param title names the backend
 * @param seed of the run's chance
 * @param findings what came of each rule
 * @param seen what was seen of the store
 * @param speed how fast it is, if that was asked
 */
public record Reports(
    String title,
    long seed,
    List<Finding> findings,
    List<String> seen,
    Optional<SpeedReport> speed) {
  /** Writes {@code TEST-kvasir-verify.xml}, which build servers read. */
  public void xml(Path folder) throws IOException {
    try (Writer file = Files.newBufferedWriter(folder.resolve("TEST-kvasir-verify.xml"))) {
      XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(file);
      xml.writeStartDocument();
      xml.writeCharacters("\n");
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", "kvasir verify " + title);
      xml.writeAttribute("tests", "" + findings.size());
      xml.writeAttribute("failures", "" + count(Outcome.BROKEN));
      xml.writeAttribute("errors", "0");
      xml.writeAttribute("skipped", "" + count(Outcome.SKIPPED));
      xml.writeAttribute(
          "time", seconds(findings.stream().mapToLong(f -> f.took().toNanos()).sum()));
      properties(xml);
      for (Finding finding : findings) {
        xml.writeCharacters("\n  ");
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", "kvasir.verify." + title);
        xml.writeAttribute("name", finding.rule() + ": " + finding.sentence());
        xml.writeAttribute("time", seconds(finding.took().toNanos()));
        if (finding.outcome() != Outcome.HOLDS) {
          xml.writeStartElement(finding.outcome() == Outcome.BROKEN ? "failure" : "skipped");
          xml.writeAttribute("message", printable(finding.detail()));
          xml.writeCharacters(printable(finding.trace()));
          xml.writeEndElement();
        }
        xml.writeEndElement();
      }
      xml.writeCharacters("\n  ");
      xml.writeStartElement("system-out");
      xml.writeCharacters(printable(String.join("\n", said())));
      xml.writeEndElement();
      xml.writeCharacters("\n");
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw new IOException(e);
    }
  }

  private void properties(XMLStreamWriter xml) throws XMLStreamException {
    xml.writeCharacters("\n  ");
    xml.writeStartElement("properties");
    property(xml, "seed", Long.toString(seed));
    if (speed.isPresent()) {
      for (SpeedReport.Line line : speed.get().lines()) {
        String ratio = String.format(Locale.ROOT, "%.4g", line.ratio().value());
        property(xml, "speed." + line.key(), ratio);
      }
    }
    xml.writeCharacters("\n  ");
    xml.writeEndElement();
  }

  private static void property(XMLStreamWriter xml, String name, String value)
      throws XMLStreamException {
    xml.writeCharacters("\n    ");
    xml.writeEmptyElement("property");
    xml.writeAttribute("name", name);
    xml.writeAttribute("value", value);
  }

  /** {@return what was seen and measured, a sentence each} */
  private List<String> said() {
    List<String> out = new ArrayList<>(seen);
    speed.ifPresent(report -> out.addAll(report.sentences()));
    return out;
  }

  /** Writes {@code verify.html}, which needs no other file. */
  public void html(Path folder) throws IOException {
    StringBuilder out = new StringBuilder();
    out.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
        .append(escaped(title))
        .append("</title>\n<style>body{font:15px sans-serif;margin:2em;max-width:70em}")
        .append("td{padding:.2em .8em .2em 0;vertical-align:top}")
        .append(".BROKEN{color:#b00020;font-weight:bold}.SKIPPED{color:#777}")
        .append("pre{background:#f4f4f4;padding:1em;overflow:auto}</style></head><body>\n<h1>")
        .append(escaped("kvasir verify: " + title))
        .append("</h1>\n<p>")
        .append(escaped(summary() + "; seed " + seed))
        .append("</p>\n");
    List<Finding> broken = of(Outcome.BROKEN);
    for (Finding finding : broken) {
      out.append("<h2 class=\"BROKEN\">")
          .append(escaped(finding.rule() + ": " + finding.sentence()))
          .append("</h2>\n<p>")
          .append(escaped(finding.detail()))
          .append("</p>\n<details><summary>Where</summary><pre>")
          .append(escaped(finding.trace()))
          .append("</pre></details>\n");
    }
    out.append("<h2>What was seen</h2>\n<ul>");
    seen.forEach(line -> out.append("<li>").append(escaped(line)).append("</li>\n"));
    out.append("</ul>\n");
    speed.ifPresent(report -> html(report, out));
    out.append("<h2>Rules</h2>\n<table>\n");
    for (Finding finding : findings) {
      out.append(
          "<tr class=\"%s\"><td>%s</td><td>%s</td><td>%s%s</td><td>%s s</td></tr>\n"
              .formatted(
                  finding.outcome(),
                  escaped(finding.rule()),
                  finding.outcome().toString().toLowerCase(Locale.ROOT),
                  escaped(finding.sentence()),
                  finding.outcome() == Outcome.SKIPPED ? "<br>" + escaped(finding.detail()) : "",
                  seconds(finding.took().toNanos())));
    }
    out.append("</table>\n</body></html>\n");
    Files.writeString(folder.resolve("verify.html"), out);
  }

  private static void html(SpeedReport report, StringBuilder out) {
    List<String> sentences = report.sentences();
    out.append("<h2>Speed</h2>\n<p>").append(escaped(sentences.getFirst())).append("</p>\n");
    out.append("<table>\n");
    for (SpeedReport.Line line : report.lines()) {
      out.append(
          "<tr><td>%s</td><td>%s of %s</td><td>%s</td><td>%s</td></tr>\n"
              .formatted(
                  escaped(line.what()),
                  line.shownRatio(),
                  escaped(line.against()),
                  escaped(line.speed()),
                  escaped(line.note())));
    }
    out.append("</table>\n");
  }

  /** {@return how many rules hold, are broken and were skipped} */
  public String summary() {
    return "%d rules hold, %d broken, %d skipped"
        .formatted(count(Outcome.HOLDS), count(Outcome.BROKEN), count(Outcome.SKIPPED));
  }

  /** {@return the findings of one kind} */
  public List<Finding> of(Outcome outcome) {
    return findings.stream().filter(f -> f.outcome() == outcome).toList();
  }

  private long count(Outcome outcome) {
    return of(outcome).size();
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** {@return the text without what XML cannot hold} */
  private static String printable(String text) {
    return text.replaceAll("[^\\t\\n\\r\\u0020-\\uD7FF\\uE000-\\uFFFD\\x{10000}-\\x{10FFFF}]", "?");
  }
}

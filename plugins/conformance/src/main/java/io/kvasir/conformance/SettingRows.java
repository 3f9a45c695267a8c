package io.kvasir.conformance;

import io.kvasir.api.store.Setting;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The rows of a configuration's reference in Markdown, as a backend's manual should have them: key,
 * default and meaning.
 */
public final class SettingRows {
  private SettingRows() {}

  /**
   * {@return a row for each component of a record, which has a {@link Setting}}
   *
   * @param prefix where the record's object stands, such as {@code store.shelf}
   */
  public static List<String> of(String prefix, Class<? extends Record> type) {
    return Arrays.stream(type.getRecordComponents())
        .map(component -> row(prefix, component, component.getAnnotation(Setting.class)))
        .toList();
  }

  private static String row(String prefix, RecordComponent component, Setting setting) {
    return "| `%s.%s` | %s | %s |"
        .formatted(
            prefix,
            component.getName().replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT),
            setting.byDefault().isEmpty() ? "" : "`" + setting.byDefault() + "`",
            setting.value());
  }
}

package io.kvasir.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.conformance.speed.Median;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {
  private final Locale before = Locale.getDefault();

  @BeforeEach
  void numbersAreWrittenAsTheProgramWritesThem() {
    Locale.setDefault(Locale.ROOT);
  }

  @AfterEach
  void restore() {
    Locale.setDefault(before);
  }

  private static Figure figure(Measure of, double speed, double ratio, double cpu) {
    Median one = new Median(ratio, ratio, ratio);
    return new Figure(of, new Median(1, speed, 9), one, new Median(cpu, cpu, cpu), 5);
  }

  private static PeerResult local(double put, double cpu) {
    return new PeerResult(
        PeerKind.LOCAL,
        List.of(
            figure(Measure.PUT_ACKNOWLEDGED, 4, put, cpu),
            figure(Measure.PUT_DURABLE, 4, put, cpu),
            figure(Measure.GET_COLD, 3, 0.9, 0.05),
            figure(Measure.GET_WARM, 3, 0.9, 0.05)),
        321,
        256,
        7,
        new PeerResult.Recovery(12, 256, 0, 0));
  }

  private static PeerResult rocks() {
    return new PeerResult(
        PeerKind.ROCKSDB,
        List.of(
            figure(Measure.PUT_ACKNOWLEDGED, 1, 0.24, 0.65),
            figure(Measure.PUT_DURABLE, 0.5, 0.1, 0.65),
            figure(Measure.GET_COLD, 1, 0.2, 0.4),
            figure(Measure.GET_WARM, 1, 0.2, 0.4)),
        5000,
        128,
        7,
        new PeerResult.Recovery(40, 128, 64, 0));
  }

  private static PeerResult redis() {
    return new PeerResult(
        PeerKind.REDIS,
        List.of(
            figure(Measure.PUT_ACKNOWLEDGED, 1, 0.1, 0.7), figure(Measure.GET_WARM, 1, 0.2, 0.4)),
        900,
        128,
        -1,
        null);
  }

  private static Report report(List<PeerResult> stores) {
    return new Report(
        new Machine("a processor", 2, 24L << 30, "ext4", "6.1", "25", 0.5, 1.5),
        "page cache: full",
        new Yardstick(
            RawDisk.Way.URING,
            1.01,
            0.99,
            List.of(
                new Yardstick.Speed(RawDisk.Way.URING, 5, 3), new Yardstick.Speed(null, 4.9, 3.1)),
            null),
        stores,
        List.of("lmdb: not there"),
        StoreGoals.of(stores),
        12);
  }

  @Test
  void theTableShowsEachStoreAndADashForWhatItHasNot() {
    String text = report(List.of(local(0.96, 0.05), redis())).text();
    String redis = text.lines().filter(l -> l.startsWith("redis")).findFirst().orElseThrow();
    assertEquals(
        List.of(
            "redis", "1.00", "0.100", "-", "-", "-", "-", "1.00", "0.200", "0.700", "0.400", "900"),
        List.of(redis.split(" +", -1)));
    assertTrue(text.contains("not measured: lmdb: not there"), text);
    assertTrue(text.contains("write 1.010, read 0.990"), text);
    assertTrue(text.contains("of 256 acknowledged blocks 0 lost, 0 wrong"), text);
    assertTrue(text.contains("page cache: full"), text);
  }

  @Test
  void thePageCacheIsFullOnlyIfEveryStoreFoundItSo() {
    assertTrue(Compare.pageCache(List.of(1L << 30, 2L << 30)).startsWith("page cache: full"));
    String not = Compare.pageCache(List.of(6L << 30, 1L << 30));
    assertTrue(not.contains("6.0 GiB of memory held nothing at the most and 1.0 at the end"), not);
  }

  @Test
  void fioAgreesWithinFivePercent() {
    assertEquals("yes", yardstick(1.05, 0.96).inWords());
    assertEquals("no, it is faster", yardstick(1.06, 1).inWords());
    assertEquals("NO, it is slower", yardstick(1, 0.95).inWords());
    assertEquals("NO, it is slower", yardstick(1.06, 0.5).inWords());
  }

  private static Yardstick yardstick(double write, double read) {
    return new Yardstick(RawDisk.Way.URING, write, read, List.of(), null);
  }

  @Test
  void theJsonHoldsWhatTheTableShows() {
    JsonNode json = new JsonMapper().readTree(report(List.of(local(0.96, 0.05), rocks())).json());
    assertEquals("local", json.at("/stores/0/peer").asString());
    assertEquals(0.96, json.at("/stores/0/figures/1/ratio/value").asDouble());
    assertEquals(64, json.at("/stores/1/recovery/lost").asInt());
    assertEquals("URING", json.at("/yardstick/way").asString());
    assertEquals("G1", json.at("/goals/0/id").asString());
    assertEquals(0.96, json.at("/goals/0/value").asDouble());
    assertTrue(json.at("/goals/0/holds").asBoolean());
  }

  @Test
  void aGoalHoldsFromItsBoundOn() {
    assertTrue(goal(local(0.95, 0.06), "durable put, by raw write").holds());
    assertTrue(goal(local(0.95, 0.06), "durable put, CPU s/GB").holds());
    assertFalse(goal(local(0.949, 0.061), "durable put, by raw write").holds());
    assertFalse(goal(local(0.949, 0.061), "durable put, CPU s/GB").holds());
  }

  @Test
  void peersAreComparedByTheirRatioToRaw() {
    List<Goal> goals = StoreGoals.of(List.of(local(0.96, 0.05), rocks(), redis()));
    // 0.96 / 0.24 and 0.96 / 0.1; 0.65 / 0.05 and 0.4 / 0.05
    assertEquals(4.0, value(goals, "durable put, by rocksdb's put, acknowledged"), 1e-9);
    assertEquals(9.6, value(goals, "durable put, by rocksdb's put, durable"), 1e-9);
    assertEquals(13.0, value(goals, "CPU per GB of a put: rocksdb's by ours"), 1e-9);
    assertEquals(14.0, value(goals, "CPU per GB of a put: redis's by ours"), 1e-9);
    assertEquals(8.0, value(goals, "CPU per GB of a warm get: redis's by ours"), 1e-9);
  }

  @Test
  void aResultSurvivesItsWayBetweenTwoJvms() {
    PeerResult result = local(0.96, 0.05);
    assertEquals(result, PeerResult.of(result.json()));
    Plan plan =
        new Plan(
            PeerKind.LMDB,
            java.nio.file.Path.of("/a"),
            RawDisk.Way.URING,
            4096,
            8,
            16,
            5,
            3,
            2,
            true);
    assertEquals(plan, Plan.of(plan.json()));
  }

  private static Goal goal(PeerResult local, String what) {
    return StoreGoals.of(List.of(local)).stream()
        .filter(goal -> goal.what().equals(what))
        .findFirst()
        .orElseThrow();
  }

  private static double value(List<Goal> goals, String what) {
    return goals.stream()
        .filter(goal -> goal.what().equals(what))
        .findFirst()
        .orElseThrow()
        .value();
  }
}

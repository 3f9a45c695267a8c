package io.kvasir.core.connector;

import io.kvasir.api.Arrival;
import io.kvasir.api.Fence;
import io.kvasir.api.store.Landing;
import java.util.ArrayList;
import java.util.List;

/** The copies of a load that are ordered and perhaps not done. Guarded by its load. */
final class Landings {
  private record Flight(Part part, Landing landing) {}

  private final List<Flight> flights = new ArrayList<>();

  void add(Part part, Landing landing) {
    flights.add(new Flight(part, landing));
  }

  void remove(Part part, Landing landing) {
    flights.remove(new Flight(part, landing));
  }

  /** {@return the events of all copies that are not done at this moment} */
  Arrival arrival() {
    if (flights.isEmpty()) {
      return Arrival.NOW;
    }
    List<Flight> now = List.copyOf(flights);
    return (group, shard, plane) -> {
      List<Fence.Event> events = new ArrayList<>();
      for (Flight flight : now) {
        if (flight.part.group() == group && flight.part.shard() == shard) {
          events.addAll(flight.landing.events(plane));
        }
      }
      return events;
    };
  }
}

package io.kvasir.core.connector;

import io.kvasir.api.Arrival;
import io.kvasir.api.Fence;
import io.kvasir.api.store.Landing;
import java.util.ArrayList;
import java.util.List;

/** The copies of a load that are ordered and perhaps not done. Guarded by its load. */
final class Landings {
  private final List<Flight> flights = new ArrayList<>();

  /** Some of them. */
  static final class Flight {
    private final Part part;
    private final Landing landing;
    private State state = State.UNDER_WAY;

    private Flight(Part part, Landing landing) {
      this.part = part;
      this.landing = landing;
    }
  }

  /** What the path said. */
  enum State {
    UNDER_WAY,
    /** It failed to take the action that would tell when they are done. */
    UNKNOWN,
    DONE
  }

  Flight add(Part part, Landing landing) {
    Flight flight = new Flight(part, landing);
    flights.add(flight);
    return flight;
  }

  /** Notes that nothing is touched any more. {@return what was known before} */
  State done(Flight flight) {
    State before = flight.state;
    flight.state = State.DONE;
    flights.removeIf(f -> f == flight);
    return before;
  }

  /** Notes that nobody will say when they are done. {@return false if somebody has} */
  boolean unknown(Flight flight) {
    if (flight.state != State.UNDER_WAY) {
      return false;
    }
    flight.state = State.UNKNOWN;
    return true;
  }

  /** {@return the events of all copies that are not known to be done at this moment} */
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

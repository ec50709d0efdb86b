package dev.tallystick.example;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.LocalDate;

/** What a customer wants. Jackson maps it, and honours its annotations. */
public record Order(
        String item, int amount, @JsonProperty("deliver_on") LocalDate deliverOn) {}

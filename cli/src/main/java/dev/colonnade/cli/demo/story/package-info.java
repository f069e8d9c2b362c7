/**
 * How a walkthrough is presented: what is asked, what is answered, drawn as the articles draw it,
 * and whether that is what was promised. Knows no application.
 */
@NullMarked
package dev.colonnade.cli.demo.story;

import org.jspecify.annotations.NullMarked;

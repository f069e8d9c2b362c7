/**
 * The client's calls as meters of Micrometer. The only package that names Micrometer, which is an
 * optional dependency: a program that uses this package brings it.
 */
@NullMarked
package dev.colonnade.client.micrometer;

import org.jspecify.annotations.NullMarked;

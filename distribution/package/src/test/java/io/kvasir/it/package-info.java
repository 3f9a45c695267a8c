/**
 * Tests of the distribution as it was built: its files, its commands, and the three shapes in which
 * the core runs. {@code Installed} starts things, {@code Sources} holds the engine and the plugin
 * that are compiled for them.
 */
package io.kvasir.it;
